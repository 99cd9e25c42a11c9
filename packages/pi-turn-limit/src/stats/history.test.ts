import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Conversation, sessionsFolder, used } from "../../test/stats-history.ts";
import { type History, readHistory } from "./history.ts";
import type { PromptCost } from "./session-counter.ts";

async function read(...conversations: Conversation[]): Promise<History> {
  await using folder = await sessionsFolder();
  for (const [index, { lines }] of conversations.entries()) await folder.write(`${index}`, lines);
  // Awaited, so that the folder is still there while it is read.
  return await readHistory(folder.path);
}

function column({ prompts }: History, measure: keyof PromptCost): number[] {
  return prompts.map((prompt) => prompt[measure]);
}

test("a turn is an answer, a step is a tool result, and a prompt begins with a user message", async () => {
  const session = new Conversation();
  session.prompt().answer("toolUse").results(3).answer("toolUse").results(1).answer();
  session.prompt().answer();
  const history = await read(session);
  expect(column(history, "turns")).toEqual([3, 1]);
  expect(column(history, "steps")).toEqual([4, 0]);
  expect(history).toMatchObject({ sessions: 1, unanswered: 0, skippedLines: 0, unreadableFiles: 0 });
});

test("tokens are input and output, cache reads and writes stand apart, dollars are Pi's", async () => {
  const session = new Conversation().prompt();
  session
    .answer("toolUse", used(100, 20, 0.25, 1_000, 30))
    .results()
    .answer("stop", used(200, 10, 0.5, 7));
  const history = await read(session);
  expect(column(history, "tokens")).toEqual([330]);
  expect(column(history, "cacheTokens")).toEqual([1_037]);
  expect(column(history, "dollars")).toEqual([0.75]);
});

test("a request that failed and was retried is one turn", async () => {
  const session = new Conversation().prompt().answer("toolUse").results();
  for (const _ of [1, 2]) {
    session.answer("error");
    session.entry({ type: "context_edit", targetId: session.here, replacement: null });
  }
  session.answer();
  expect(column(await read(session), "turns")).toEqual([2]);
});

test("an aborted answer is no turn, but what it took was taken", async () => {
  const session = new Conversation().prompt().answer("toolUse").results().answer("aborted", used(50, 1));
  const history = await read(session);
  expect(column(history, "turns")).toEqual([1]);
  expect(column(history, "tokens")).toEqual([171]);
});

test("an answer that was cut short and asked for again after a compaction is one turn", async () => {
  const session = new Conversation().prompt().answer("length");
  session.entry({ type: "context_edit", targetId: session.here, replacement: null });
  session.entry({ type: "compaction", summary: "So far." }).answer();
  expect(column(await read(session), "turns")).toEqual([1]);
});

test("an answer that was cut short and stands is a turn, also when an old one is taken out of the context", async () => {
  const session = new Conversation().prompt().answer("toolUse");
  const old = session.here;
  session.results().answer("length").entry({ type: "context_edit", targetId: old, replacement: null });
  expect(column(await read(session), "turns")).toEqual([2]);
});

test("a prompt that got no answer is left out and counted", async () => {
  const history = await read(new Conversation().prompt().answer("error").prompt().answer());
  expect(column(history, "turns")).toEqual([1]);
  expect(history.unanswered).toBe(1);
});

test("a message written before the tool results it follows was steered, and is no prompt", async () => {
  const session = new Conversation().prompt().answer("toolUse").results().queued().queued().turns(2);
  expect(column(await read(session), "turns")).toEqual([3]);
});

test("a message written while a failed request was retried was steered", async () => {
  const session = new Conversation().prompt().answer("toolUse").results().answer("error").queued().answer();
  expect(column(await read(session), "turns")).toEqual([2]);
});

test("a message after a final answer is a prompt, also if it was queued", async () => {
  const session = new Conversation().prompt().turns(2).queued().turns(3);
  expect(column(await read(session), "turns")).toEqual([2, 3]);
});

test("a message written after the tool results it follows is a prompt: the run before was cut off", async () => {
  const session = new Conversation().prompt().answer("toolUse").results().prompt().turns(2);
  expect(column(await read(session), "turns")).toEqual([1, 2]);
});

test("a message after an abort is a prompt", async () => {
  const session = new Conversation().prompt().turns(2).prompt().answer("aborted").prompt().answer();
  expect(column(await read(session), "turns")).toEqual([2, 1]);
});

test("every branch of a session counts, and what they share counts once", async () => {
  const session = new Conversation().prompt().answer("toolUse").results();
  const fork = session.here;
  session.answer().prompt().turns(4).goTo(fork).queued().turns(5);
  expect(column(await read(session), "turns")).toEqual([2, 4, 5]);
});

test("what a fork copied into its own file counts once, in the older file", async () => {
  const original = new Conversation("a").prompt().turns(2).prompt().turns(3);
  const fork = original.fork("b").prompt().turns(4);
  original.prompt().turns(5);
  const history = await read(original, fork);
  expect(column(history, "turns")).toEqual([2, 3, 5, 4]);
  expect(history).toMatchObject({ sessions: 2, unanswered: 0 });
});

test("a fork whose original is gone counts whole", async () => {
  const original = new Conversation("a").prompt().turns(2);
  expect(column(await read(original.fork("b").prompt().turns(4)), "turns")).toEqual([2, 4]);
});

test("entries of different sessions with the same id are different entries", async () => {
  const one = new Conversation("a", Date.UTC(2026, 0, 1)).prompt().turns(2);
  const other = new Conversation("a", Date.UTC(2026, 0, 2)).prompt().turns(3);
  expect(column(await read(one, other), "turns")).toEqual([2, 3]);
});

test("sessions of the first format, without ids, are counted", async () => {
  const session = new Conversation().prompt().turns(3).prompt().turns(2);
  const lines = session.lines.map((line) => ({ ...line, id: undefined, parentId: undefined }));
  await using folder = await sessionsFolder();
  await folder.write("old", lines);
  expect(column(await readHistory(folder.path), "turns")).toEqual([3, 2]);
});

test("entries of an unknown kind, and messages of other roles, change nothing", async () => {
  const session = new Conversation().entry({ type: "message", message: { role: "system" } }).prompt();
  session
    .answer("toolUse")
    .entry({ type: "from-the-future", message: { role: "user" } })
    .results();
  session.entry({ type: "message", message: { role: "bashExecution" } });
  session.entry({ type: "custom_message", content: "Go on." }).answer();
  const history = await read(session);
  expect(column(history, "turns")).toEqual([2]);
  expect(history.skippedLines).toBe(0);
});

test("a broken line is skipped and counted, and the rest is read", async () => {
  await using folder = await sessionsFolder();
  const { lines } = new Conversation().prompt().turns(2);
  const [header, ...rest] = lines;
  await folder.write("broken", [
    header as object,
    "{",
    "",
    "null",
    "[1]",
    '{"no":"type"}',
    ...rest,
    '{"type":"mess',
  ]);
  const history = await readHistory(folder.path);
  expect(column(history, "turns")).toEqual([2]);
  expect(history.skippedLines).toBe(5);
});

test("nonsense where numbers should be counts as nothing", async () => {
  const session = new Conversation().prompt().answer("toolUse", { input: "many", output: -5, cost: null });
  session.answer("stop", null as unknown as object);
  const history = await read(session);
  expect(column(history, "turns")).toEqual([2]);
  expect(column(history, "tokens")).toEqual([0]);
});

test("sessions are found in folders of any depth, and other files are left alone", async () => {
  await using folder = await sessionsFolder();
  await folder.write("--project--/one", new Conversation("a").prompt().turns(1).lines);
  await folder.write("deep/er/two", new Conversation("b").prompt().turns(2).lines);
  await folder.write("notes.md", ["no session"]);
  await folder.write("other", [{ type: "note" }]);
  const history = await readHistory(folder.path);
  expect(column(history, "turns").sort()).toEqual([1, 2]);
  expect(history.sessions).toBe(2);
});

test("a session is counted once, however many links lead to it", async () => {
  await using folder = await sessionsFolder();
  await folder.write("--project--/one", new Conversation("a").prompt().turns(2).lines);
  const [project, loop] = ["--project--", "loop"].map((name) => join(folder.path, name)) as [string, string];
  await symlink(folder.path, join(project, "loop"));
  await symlink(project, loop);
  await symlink(join(project, "one.jsonl"), join(folder.path, "again.jsonl"));
  await symlink("/nowhere/at/all", join(folder.path, "dangling.jsonl"));
  const history = await readHistory(folder.path);
  expect(column(history, "turns")).toEqual([2]);
  expect(history).toMatchObject({ sessions: 1, unreadableFiles: 0 });
});

test("sessions that a link leads to elsewhere are counted", async () => {
  await using folder = await sessionsFolder();
  await using elsewhere = await sessionsFolder();
  await elsewhere.write("one", new Conversation("a").prompt().turns(3).lines);
  await symlink(elsewhere.path, join(folder.path, "elsewhere"));
  expect(column(await readHistory(folder.path), "turns")).toEqual([3]);
});

test("amounts that no model can have used count as nothing", async () => {
  const session = new Conversation()
    .prompt()
    .answer("toolUse", used(1e308, 1e308, 1e308))
    .results();
  session.answer("stop", used(100, 20, 0.5));
  const history = await read(session);
  expect(column(history, "tokens")).toEqual([120]);
  expect(column(history, "dollars")).toEqual([0.5]);
});

test("a folder that is not there is an empty history", async () => {
  expect(await readHistory("/nowhere/at/all")).toMatchObject({ sessions: 0, unreadableFiles: 0 });
});

test("reading tells how far it is, and stops when it is told to", async () => {
  await using folder = await sessionsFolder();
  await folder.write("one", new Conversation().prompt().turns(9).lines);
  const seen: [number, number][] = [];
  await readHistory(folder.path, { progress: (read, all) => seen.push([read, all]) });
  const [read, all] = seen.at(-1) ?? [];
  expect(read).toBe(all);
  await expect(readHistory(folder.path, { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
});
