import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Reply } from "turn-limit";
import { memoryStore } from "turn-limit";
import { expect, test } from "vitest";
import { named } from "../../test/helpers/named.ts";
import { type AgentsQuestion, AgentsQuestions, askAbove, taskName } from "./agents-questions.ts";

const ask = { kind: "ask", id: 1, ...named("turns"), used: 3, max: 3 } as const;

/** A session whose agents ask, with what is on its screen and how the person replies. */
function scene({ isSettled = false } = {}) {
  const store = memoryStore();
  const shown: { question: AgentsQuestion; reply: (reply: Reply) => void; signal: AbortSignal }[] = [];
  const allowed: unknown[] = [];
  const told: string[] = [];
  const session = () =>
    new AgentsQuestions("questions 7", store, {
      where: "in the terminal",
      tell: (message) => void told.push(message),
      isSettled: async () => isSettled,
      show: (question, signal) => new Promise((reply) => shown.push({ question, reply, signal })),
      allow: async ({ task }, reply) => void allowed.push([task, reply]),
    });
  const questions = session();
  const asks = { pool: questions.pool, pid: process.pid };
  const agent = (name: string, signal = new AbortController().signal) =>
    askAbove(asks, store, ask, signal, { id: `id-of-${name}`, name });
  const waiting = async () => Object.keys((await store.read(questions.pool))?.state.questions ?? {}).length;
  return { store, session, questions, shown, allowed, told, agent, waiting, asks };
}

/** Two agents ask, and the question of the first is shown. */
async function twoAgentsAsk() {
  const { questions, shown, allowed, agent, waiting } = scene();
  const replies = [agent("one")];
  await expect.poll(waiting).toBe(1);
  replies.push(agent("two"));
  await expect.poll(waiting).toBe(2);
  await questions.look(true);
  await expect.poll(() => shown.length).toBe(1);
  const shownAfterALook = () => questions.look(true).then(() => shown.length);
  return { shown, allowed, replies, shownAfterALook };
}

test("of several questions one is shown at a time [NextAgentAsks] [OneAgentAsksAtATime]", async () => {
  const { shown, replies, shownAfterALook } = await twoAgentsAsk();
  expect(await shownAfterALook()).toBe(1);
  expect(shown[0]?.question).toMatchObject({
    ...named("turns"),
    used: 3,
    max: 3,
    task: "one",
    member: "id-of-one",
  });
  shown[0]?.reply(true);
  await expect.poll(shownAfterALook).toBe(2);
  shown[1]?.reply(true);
  await Promise.all(replies);
});

test("of several agents each gets its own reply [ReplyGoesDown]", async () => {
  const { shown, allowed, replies, shownAfterALook } = await twoAgentsAsk();
  shown[0]?.reply({ more: 5 });
  await expect.poll(shownAfterALook).toBe(2);
  shown[1]?.reply(false);
  expect(await Promise.all(replies)).toEqual([{ more: 5 }, false]);
  expect(allowed).toEqual([
    ["one", { more: 5 }],
    ["two", false],
  ]);
});

test("none is shown over something else [NextAgentAsks]", async () => {
  const { questions, shown, agent, waiting } = scene();
  const leaves = new AbortController();
  const reply = agent("one", leaves.signal);
  await expect.poll(waiting).toBe(1);
  await questions.look(false);
  expect(shown).toHaveLength(0);
  leaves.abort();
  expect(await reply).toBe(false);
});

test("none is shown where there is room again", async () => {
  const { questions, shown, agent, waiting, allowed } = scene({ isSettled: true });
  const reply = agent("one");
  await expect.poll(waiting).toBe(1);
  await questions.look(true);
  expect(await reply).toBe(true);
  expect([shown, allowed]).toEqual([[], []]);
});

test("it is withdrawn when the agent no longer waits [AgentsQuestionWithdrawn]", async () => {
  const { questions, shown, agent, waiting, allowed } = scene();
  const leaves = new AbortController();
  const reply = agent("one", leaves.signal);
  await expect.poll(waiting).toBe(1);
  await questions.look(true);
  await expect.poll(() => shown.length).toBe(1);
  leaves.abort();
  await reply;
  await questions.look(true);
  expect(shown[0]?.signal.aborted).toBe(true);
  shown[0]?.reply(true);
  expect(allowed).toEqual([]);
});

test("it is withdrawn when the agent's process is gone [AgentsQuestionWithdrawn]", async () => {
  const { store, questions, shown } = scene();
  const agent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  const asker = { member: "id", name: "one", pid: Number(agent.pid) };
  const question = { id: "q", ...asker, ...named("turns"), used: 3, max: 3 };
  await store.change(questions.pool, { kind: "ask", key: "q", question });
  await questions.look(true);
  await expect.poll(() => shown.length).toBe(1);
  agent.kill("SIGKILL");
  await once(agent, "exit");
  await questions.look(true);
  expect(shown[0]?.signal.aborted).toBe(true);
});

test("a session that ends tells whoever waits no", async () => {
  const { questions, agent, waiting } = scene();
  const reply = agent("one");
  await expect.poll(waiting).toBe(1);
  await questions.close();
  expect(await reply).toBe(false);
});

test("a session that gives way takes the question off the screen, and the next one shows it", async () => {
  const { session, questions, shown, allowed, agent, waiting } = scene();
  const reply = agent("one");
  await expect.poll(waiting).toBe(1);
  await questions.look(true);
  await expect.poll(() => shown.length).toBe(1);
  questions.giveWay();
  expect(shown[0]?.signal.aborted).toBe(true);
  shown[0]?.reply(false);
  await session().look(true);
  await expect.poll(() => shown.length).toBe(2);
  shown[1]?.reply(true);
  expect(await reply).toBe(true);
  expect(allowed).toEqual([["one", true]]);
});

test("where the session that asks is gone, the reply is no", async () => {
  const { store, asks } = scene();
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "exit");
  const nobody = { ...asks, pid: gone.pid ?? 0 };
  expect(await askAbove(nobody, store, ask, new AbortController().signal, { id: "1", name: "one" })).toBe(
    false,
  );
});

test.for([
  ["Look into it.", "Look into it."],
  ["Task: Look into it.", "Look into it."],
  ["\n  Look into it.  \nAnd then …", "Look into it."],
  ["", ""],
  ["word ".repeat(20), `${"word ".repeat(11)}word…`],
] as const)("an agent is called by the first words of its task: %j", ([prompt, name]) => {
  expect(taskName(prompt)).toBe(name);
});

test("a reply from elsewhere is allowed once, closes the question and says who gave it; one here that is too late allows nothing", async () => {
  const { store, questions, shown, allowed, told, agent, waiting } = scene();
  const reply = agent("one");
  await expect.poll(waiting).toBe(1);
  await questions.look(true);
  await expect.poll(() => shown.length).toBe(1);
  const [id = ""] = Object.keys((await store.read(questions.pool))?.state.questions ?? {});
  const person = { where: "on the phone", to: "one" };
  const answer = { kind: "answer", question: id, reply: { more: 2 }, key: "1", person } as const;
  expect((await store.change(questions.pool, answer)).made).toBe(true);
  shown[0]?.reply(true);
  expect(await reply).toEqual({ more: 2 });
  await expect.poll(() => questions.look(true).then(() => allowed)).toEqual([["one", { more: 2 }]]);
  await questions.look(true);
  expect(allowed).toHaveLength(1);
  expect(told).toEqual([
    expect.stringMatching(/(Too late: it was a|A)nswered on the phone: yes, 2 more turns\./),
  ]);
  expect((await store.grants()).map(({ where }) => where)).toEqual(["on the phone"]);
});

test("what is replied here is kept with where it was replied, and allowed once", async () => {
  const { store, questions, shown, allowed, told, agent, waiting } = scene();
  const reply = agent("one");
  await expect.poll(waiting).toBe(1);
  await questions.look(true);
  await expect.poll(() => shown.length).toBe(1);
  shown[0]?.reply(true);
  expect(await reply).toBe(true);
  await questions.look(true);
  await questions.look(true);
  expect(allowed).toEqual([["one", true]]);
  expect(told).toEqual([]);
  expect((await store.grants()).map(({ where, to }) => [where, to])).toEqual([["in the terminal", "one"]]);
});
