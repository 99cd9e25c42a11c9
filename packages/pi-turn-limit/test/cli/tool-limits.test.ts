import { bash, calls, says, sequence, type ToolCall, textOf } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leaves, leavesWithoutEnd } from "../helpers/executed.ts";
import { named } from "../helpers/named.ts";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { keptMessages, recorded } from "../helpers/recorded.ts";
import { offeredTools, worksUntilToolsFree } from "../helpers/salvage.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, no, questions, work, yes } from "../helpers/talk.ts";
import { unanswered, unansweredInRequest } from "../helpers/unanswered.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const BOUNDARY = "turn-limit:boundary";
const question = "Limit for bash reached: bash was called 5 times. Continue?";
const firstFive = ["1.1", "1.2", "1.3", "1.4", "1.5"];

/** A call of Pi's write tool, which leaves a file in the project. */
function writes(path: string): ToolCall {
  return { name: "write", arguments: { path, content: "Written.\n" } };
}

/** What the calls of the first answer came to, as the model reads it in the next request. */
function resultsRead({ model }: Stage): string[] {
  const { messages = [] } = model.requests[1] ?? {};
  return messages.filter(({ role }) => role === "tool").map(textOf);
}

onEachHost((host) => {
  test("of 12 parallel calls a limit of 5 lets exactly the first 5 run, and each has a result", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(12));
    await stage.sandbox.writeUserConfig({ tools: { bash: { max: 5, headless: "stop" } } });
    const { code, stdout, stderr } = await stage.print("Go.", { session: true, beside });
    expect(await executed(stage)).toEqual(firstFive);
    expect(stage.model.requests).toHaveLength(1);
    expect(stderr).toBe('Limit for bash reached (5/5). To allow more, use "tools" in turn-limit.json.\n');
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const messages = await keptMessages(stage);
    expect(messages.filter(({ role }) => role === "toolResult")).toHaveLength(12);
    expect(unanswered(messages)).toEqual([]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "stopped", limit: "tools.bash", turns: 1, steps: 5 },
    ]);
    expect(await recorded(stage, BOUNDARY)).toEqual([
      { ...named("tools.bash"), used: 5, max: 5, action: "stop" },
    ]);
  });
});

onNewestHost((host) => {
  test("a person is asked when a call was refused; yes starts the tool over, and the model reads why", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(12));
    await stage.sandbox.writeUserConfig({ tools: { bash: 5 } });
    const pi = await stage.rpc({ beside });
    answerInTurn(pi, yes, no);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([question, question]);
    expect(stage.model.requests).toHaveLength(2);
    expect(await executed(stage)).toEqual([...firstFive, "2.1", "2.2", "2.3", "2.4", "2.5"]);
    const results = resultsRead(stage);
    expect(results).toHaveLength(12);
    expect(results.slice(5)).toEqual(Array(7).fill("Not run: the limit for bash is reached (5/5)."));
    expect(unansweredInRequest(stage.model.requests[1]?.messages ?? [])).toEqual([]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "declined", limit: "tools.bash", steps: 10 },
    ]);
  });

  test("where nobody can be asked, further calls are refused with a reason, and the run goes on", async () => {
    const twelve = Array.from({ length: 12 }, (_, index) => leaves(`${index + 1}`));
    await using stage = await setStage(
      host,
      sequence([calls(...twelve)], () => says("Done.")),
    );
    await stage.sandbox.writeUserConfig({ tools: { bash: 5 } });
    const { code, stdout, stderr } = await stage.print("Go.", { beside });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
    expect(await executed(stage)).toEqual(["1", "2", "3", "4", "5"]);
    expect(stage.model.requests).toHaveLength(2);
    expect(resultsRead(stage).slice(5)).toEqual(
      Array(7).fill("Not run: the limit for bash is reached (5/5)."),
    );
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 2, steps: 5 }]);
  });

  test("an agent that keeps calling a tool that is refused is held by its other limits", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    await stage.sandbox.writeUserConfig({ turns: 6, tools: { bash: { max: 2, onExhausted: "refuse" } } });
    const { code, stderr } = await stage.print("Go.");
    expect(stage.model.requests).toHaveLength(6);
    expect(await executed(stage)).toHaveLength(2);
    expect(stderr).toContain("Turn limit reached (6/6).");
    expect(code).toBe(1);
  });

  test("a batch that uses up the limit exactly is run, and only the next call is refused", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(5));
    await stage.sandbox.writeUserConfig({ tools: { bash: 5 } });
    const pi = await stage.rpc();
    answerInTurn(pi, no);
    await work(pi, "Go.");
    expect(await executed(stage)).toEqual(firstFive);
    expect(stage.model.requests).toHaveLength(2);
    expect(questions(pi)).toEqual([question]);
    expect(counterLines(pi)).toContain("Turns: 1/25 · bash: 5/5");
  });

  // Tools of earlier versions cannot call each other.
  test("the calls that another tool makes of a tool count too", async () => {
    const commands = ["a", "b", "c", "d"].map((name) => `echo ${name} >> executed.txt`);
    const delegating = calls({ name: "delegate", arguments: { commands } });
    await using stage = await setStage(host, sequence([delegating], leavesWithoutEnd()));
    await stage.sandbox.writeUserConfig({ tools: { bash: { max: 3, headless: "stop" } } });
    const { code, stderr } = await stage.print("Go.", { beside: ["delegates"] });
    expect(await executed(stage)).toEqual(["a", "b", "c"]);
    expect(stderr).toContain("Limit for bash reached (3/3).");
    expect(code).toBe(1);
  });

  test("an agent that does without the tool once it is used up is not disturbed", async () => {
    const script = sequence([calls(leaves("a"), leaves("b")), calls(writes("c.txt"))], () => says("Done."));
    await using stage = await setStage(host, script);
    await stage.sandbox.writeUserConfig({ tools: { bash: 2 } });
    const { code, stdout, stderr } = await stage.print("Go.", { beside });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", steps: 3 }]);
  });

  test("with the policy stop nobody is asked, also where somebody could be", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(12));
    await stage.sandbox.writeUserConfig({ tools: { bash: { max: 5, onExhausted: "stop" } } });
    const pi = await stage.rpc();
    await work(pi, "Go.");
    expect(await executed(stage)).toEqual(firstFive);
    expect(stage.model.requests).toHaveLength(1);
    expect(questions(pi)).toEqual([]);
    expect(pi.notifications).toEqual([{ message: "Limit for bash reached (5/5).", type: "error" }]);
  });

  test.for([
    { policy: "the policy", bash: { max: 5, onExhausted: "synthesize" } },
    { policy: "the headless policy", bash: { max: 5, headless: "synthesize" } },
  ])("with $policy synthesize print mode prints one last answer, made without tools", async ({ bash }) => {
    await using stage = await setStage(host, worksUntilToolsFree(undefined, 12));
    await stage.sandbox.writeUserConfig({ tools: { bash } });
    const { code, stdout, stderr } = await stage.print("Go.", { beside });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(stderr).toBe("Limit for bash reached (5/5): one last answer, without tools.\n");
    expect(offeredTools(stage)).toEqual([true, false]);
    expect(await executed(stage)).toEqual(firstFive);
    expect(resultsRead(stage).slice(5)).toEqual(
      Array(7).fill(
        "Not run: the limit for bash is reached (5/5). No more tool calls are possible in this run.",
      ),
    );
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "salvaged", limit: "tools.bash", steps: 5, turns: 2 },
    ]);
  });

  test("each of two tools has its own limit, and a tool without one is not counted against them", async () => {
    const mixed = calls(
      ...[leaves("a"), writes("a.txt"), leaves("b"), leaves("c"), writes("b.txt"), writes("c.txt")],
      ...["a", "b", "c"].map((name) => ({ name: "read", arguments: { path: `${name}.txt` } })),
    );
    await using stage = await setStage(
      host,
      sequence([mixed], () => says("Done.")),
    );
    await stage.sandbox.writeUserConfig({ tools: { bash: 2, write: 1 } });
    const pi = await stage.rpc();
    answerInTurn(pi, yes);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual(["Limit for bash reached: bash was called 2 times. Continue?"]);
    expect(await executed(stage)).toEqual(["a", "b"]);
    const results = resultsRead(stage);
    expect(results[3]).toBe("Not run: the limit for bash is reached (2/2).");
    expect(results.slice(4, 6)).toEqual(Array(2).fill("Not run: the limit for write is reached (1/1)."));
    for (const text of [...results.slice(0, 3), ...results.slice(6)]) expect(text).not.toContain("Not run");
    expect(counterLines(pi)).toContain("Turns: 1/25 · bash: 2/2 · write: 1/1");
  });

  test("a limit of 0 forbids a tool, and a limit of a tool that there is not does nothing", async () => {
    const script = sequence([calls(bash("echo no"), writes("a.txt"))], () => says("Done."));
    await using stage = await setStage(host, script);
    await stage.sandbox.writeUserConfig({ tools: { bash: 0, "no-such-tool": 1 } });
    const pi = await stage.rpc();
    answerInTurn(pi, yes);
    await work(pi, "Go.");
    expect(resultsRead(stage)[0]).toBe("Not run: the limit for bash is reached (0/0).");
    expect(resultsRead(stage)[1]).not.toContain("Not run");
    expect(stage.model.requests).toHaveLength(2);
  });

  test("each prompt has the whole budget of a tool", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(12));
    await stage.sandbox.writeUserConfig({ tools: { bash: { max: 5, headless: "stop" } } });
    await stage.print(["One.", "Two."]);
    expect(await executed(stage)).toHaveLength(10);
    expect(stage.model.requests).toHaveLength(2);
  });
});

await onNewestTerminal((host) => {
  test("a person sees the calls of the tool counted, and is asked", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(12));
    await stage.sandbox.writeUserConfig({ tools: { bash: 5 } });
    const pi = await stage.tui();
    await pi.submit("Go.");
    const screen = await pi.waitFor("bash was called 5 times. Continue?");
    expect(screen).toContain("Limit for bash reached");
    expect(screen).toContain("Turns: 1/25 · bash: 5/5");
    await pi.press("Escape");
    await pi.waitFor(/Stopped by you at the limit for bash · 1 turn · 5 steps · 120 tokens/);
  });
});
