import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Answer,
  bash,
  calls,
  type Script,
  says,
  sequence,
  type ToolCall,
  textOf,
} from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leaves } from "../helpers/executed.ts";
import { named } from "../helpers/named.ts";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { offeredTools } from "../helpers/salvage.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, no, questions, work, yes } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const BOUNDARY = "turn-limit:boundary";
const settings = { repeats: 3 };
const question =
  "Repeat limit reached: The agent repeated itself, and got the same result 3 times in a row. Continue?";
const sameAgain =
  "Not run: this call was made 3 times in a row with the same result. It will not change. " +
  "Try something else, or answer.";
const sameCycle =
  "Not run: these 2 calls in turn were made 3 times in a row with the same results. They will not change. " +
  "Try something else, or answer.";

/** Makes these answers over and over, unless it has no tools. */
function overAndOver(...answers: Answer[]): Script {
  return ({ index, toolNames }) =>
    toolNames.length === 0 ? says("What I know.") : (answers[(index - 1) % answers.length] as Answer);
}

/** What the latest calls came to, as the model reads it in its last request. */
function lastResults({ model }: Stage, count: number): string[] {
  const { messages = [] } = model.requests.at(-1) ?? {};
  return messages
    .filter(({ role }) => role === "tool")
    .map(textOf)
    .slice(-count);
}

onEachHost((host) => {
  test("a result that is too long to show, and kept in another file each time, is the same result anyway", async () => {
    await using stage = await setStage(host, overAndOver(calls(bash("seq 1 20000"))));
    await stage.sandbox.writeUserConfig({ ...settings, turns: 9 });
    await stage.print("Go.", { beside });
    expect(stage.model.requests).toHaveLength(5);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "stopped", limit: "repeats", steps: 3 },
    ]);
  });
});

onEachHost((host) => {
  test("an edit that fails alike in 3 turns, with other texts each time, is refused; after one more try the run is stopped", async () => {
    const edits: Script = ({ index }) =>
      calls({
        name: "edit",
        arguments: { path: "a.txt", edits: [{ oldText: `no such text ${index}`, newText: "x" }] },
      });
    await using stage = await setStage(host, edits);
    await writeFile(join(stage.sandbox.projectDir, "a.txt"), "text\n");
    await stage.sandbox.writeUserConfig({ ...settings, turns: 9 });
    const { code, stderr } = await stage.print("Go.", { beside });
    expect(stderr).toContain("Repeat limit reached (the same result, 4 times in a row).");
    expect(code).toBe(1);
    expect(stage.model.requests).toHaveLength(6);
    const told = (stage.model.requests.at(-2)?.messages ?? [])
      .filter(({ role }) => role === "tool")
      .map(textOf);
    expect(told.at(-1)).toBe(
      "Not run: edit failed 3 times in a row with the same error, whatever its arguments were. " +
        "Find out why, try something else, or answer.",
    );
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "stopped", limit: "repeats", steps: 4 },
    ]);
  });
});

onNewestHost((host) => {
  test("of one call with one result 3 run, the 4th is refused with a reason, and at the 5th the run is stopped", async () => {
    await using stage = await setStage(host, overAndOver(calls(leaves("same"))));
    await stage.sandbox.writeUserConfig(settings);
    const { code, stdout, stderr } = await stage.print("Go.", { beside });
    expect(await executed(stage)).toEqual(["same", "same", "same"]);
    expect(stage.model.requests).toHaveLength(5);
    expect(lastResults(stage, 1)).toEqual([sameAgain]);
    expect(stderr).toBe(
      "Repeat limit reached (the same result, 3 times in a row). " +
        'To allow more, use "repeats" in turn-limit.json.\n',
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "stopped", limit: "repeats", turns: 5, steps: 3 },
    ]);
    expect(await recorded(stage, BOUNDARY)).toEqual([
      { ...named("repeats"), used: 3, max: 3, action: "stop" },
    ]);
  });

  test("a person is asked after the hint; yes lets the call be made 3 times more, no ends the run", async () => {
    await using stage = await setStage(host, overAndOver(calls(leaves("same"))));
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc({ beside });
    answerInTurn(pi, yes, no);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([question, question]);
    expect(stage.model.requests).toHaveLength(10);
    expect(await executed(stage)).toHaveLength(6);
    expect(counterLines(pi)).toContain("Turns: 4/25 · Repeats: 3/3");
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "declined", limit: "repeats" }]);
  });

  test("parallel calls that an agent makes over and over are a repeat as well", async () => {
    await using stage = await setStage(host, overAndOver(calls(leaves("a"), leaves("b"))));
    await stage.sandbox.writeUserConfig(settings);
    const { stderr } = await stage.print("Go.");
    expect(await executed(stage)).toEqual(["a", "a", "a", "b", "b", "b"]);
    expect(stage.model.requests).toHaveLength(5);
    expect(lastResults(stage, 2)).toEqual([sameCycle, sameCycle]);
    expect(stderr).toContain("Repeat limit reached");
  });

  test("of five same calls in one answer none has a result yet, so all run, and the next is refused", async () => {
    await using stage = await setStage(
      host,
      sequence([calls(...Array(5).fill(leaves("same"))), calls(leaves("same"))]),
    );
    await stage.sandbox.writeUserConfig(settings);
    await stage.print("Go.");
    expect(await executed(stage)).toHaveLength(5);
    expect(lastResults(stage, 1)).toEqual([sameAgain.replace("3 times", "5 times")]);
  });

  test("a model that takes the hint goes on, and is done", async () => {
    const script = sequence(
      [...Array(4).fill(calls(leaves("same"))), calls(leaves("another")), calls(leaves("same"))],
      () => says("Done."),
    );
    await using stage = await setStage(host, script);
    await stage.sandbox.writeUserConfig(settings);
    const { code, stdout, stderr } = await stage.print("Go.");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
    expect(await executed(stage)).toEqual(["another", ...Array(4).fill("same")]);
  });

  test("with the policy stop nobody is asked, also where somebody could be", async () => {
    await using stage = await setStage(host, overAndOver(calls(leaves("same"))));
    await stage.sandbox.writeUserConfig({ repeats: { max: 3, onExhausted: "stop" } });
    const pi = await stage.rpc();
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(5);
    expect(questions(pi)).toEqual([]);
    expect(pi.notifications).toEqual([
      {
        message: "Repeat limit reached (the same result, 3 times in a row).",
        type: "error",
      },
    ]);
  });

  test.for([
    { policy: "the policy", repeats: { max: 3, onExhausted: "synthesize" } },
    { policy: "the headless policy", repeats: { max: 3, headless: "synthesize" } },
  ])("with $policy synthesize print mode prints one last answer, made without tools", async ({ repeats }) => {
    await using stage = await setStage(host, overAndOver(calls(leaves("same"))));
    await stage.sandbox.writeUserConfig({ repeats });
    const { code, stdout } = await stage.print("Go.", { beside });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(offeredTools(stage)).toEqual([true, true, true, true, true, false]);
    expect(await executed(stage)).toHaveLength(3);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "salvaged", limit: "repeats" }]);
  });

  test("two calls that alternate are a repeat as well", async () => {
    await using stage = await setStage(host, overAndOver(calls(leaves("a")), calls(leaves("b"))));
    await stage.sandbox.writeUserConfig(settings);
    const { code, stderr } = await stage.print("Go.");
    expect(await executed(stage)).toEqual(["a", "a", "a", "b", "b", "b"]);
    expect(stage.model.requests).toHaveLength(8);
    expect(lastResults(stage, 1)).toEqual([sameCycle]);
    expect(stderr).toContain("Repeat limit reached");
    expect(code).toBe(1);
  });

  test.for([
    { what: "a counter", call: bash("echo x >> count; wc -l < count") },
    { what: "the time", call: bash("date +%N") },
  ])("a call whose result changes, like $what, is never stopped by it", async ({ call }) => {
    await using stage = await setStage(host, overAndOver(calls(call)));
    await stage.sandbox.writeUserConfig(settings);
    const { stderr } = await stage.print("Go.", { maxTurns: 8, beside });
    expect(stage.model.requests).toHaveLength(8);
    expect(stderr).toContain("Turn limit reached (8/8).");
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ limit: "turns", steps: 8 }]);
  });

  test("the same arguments in another order, and with a longer timeout, are the same call, and another command is not", async () => {
    const command = "echo ran >> executed.txt";
    const inOrder: ToolCall = { name: "bash", arguments: { command, timeout: 20 } };
    const otherwise: ToolCall = { name: "bash", arguments: { timeout: 20, command } };
    const longer: ToolCall = { name: "bash", arguments: { command, timeout: 30 } };
    const script = sequence(
      [inOrder, otherwise, longer, otherwise, leaves("other")].map((call) => calls(call)),
    );
    await using stage = await setStage(host, script);
    await stage.sandbox.writeUserConfig(settings);
    await stage.print("Go.");
    const results = lastResults(stage, 5);
    expect(results.map((text) => text === sameAgain)).toEqual([false, false, false, true, false]);
    expect(await executed(stage)).toHaveLength(4);
  });

  test("a call that fails in the same way each time is a repeat, and each prompt starts with a full budget", async () => {
    await using stage = await setStage(host, overAndOver(calls(bash("echo ran >> executed.txt; exit 3"))));
    await stage.sandbox.writeUserConfig(settings);
    await stage.print(["One.", "Two."]);
    expect(await executed(stage)).toHaveLength(6);
    expect(stage.model.requests).toHaveLength(10);
  });
});

await onNewestTerminal((host) => {
  test("a person sees that the agent goes in circles, and what the run took", async () => {
    await using stage = await setStage(host, overAndOver(calls(leaves("same"))));
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.tui();
    await pi.submit("Go.");
    await pi.waitFor(/The agent repeated itself, and got the same result 3/);
    await pi.press("Escape");
    await pi.waitFor(/Stopped by you at the repeat limit · 5 turns · 3 steps/);
  });
});
