import {
  bash,
  calls,
  deferred,
  endless,
  type Script,
  says,
  sequence,
  slow,
  withUsage,
} from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, tell, yes } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const working = calls(bash("echo working"));
const ofThePrompt = { promptTokens: 100, cacheReadTokens: 60, cacheWriteTokens: 20 };

/** Calls tools without end, and holds the answer of the second request until the gate opens. */
function heldAtSecond(): { script: Script; release: () => void } {
  const gate = deferred();
  return {
    script: sequence([working, slow(working, gate.promise)], endless()),
    release: () => gate.resolve(),
  };
}

onEachHost((host) => {
  test("a compaction spends tokens of the run, and is no turn", async () => {
    const full = withUsage({ promptTokens: 49_500 }, working);
    const summary = withUsage({ promptTokens: 10_000 }, says("A summary."));
    const script: Script = ({ toolNames, index }) =>
      toolNames.length === 0 ? summary : index === 2 ? full : working;
    const settings = { compaction: { enabled: true, reserveTokens: 1_000, keepRecentTokens: 1 } };
    await using stage = await setStage(host, script, { settings, contextWindow: 50_000 });
    const { stderr } = await stage.print("Go.", { args: ["--max-tokens", "55k"], beside });
    const summaries = stage.model.requests.filter(({ toolNames }) => toolNames.length === 0).length;
    expect(summaries).toBeGreaterThan(0);
    expect(stage.model.requests).toHaveLength(2 + summaries);
    expect(stderr).toMatch(/^Token limit reached \([56]9\.7k\/55k\)\./);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "stopped", limit: "tokens", turns: 2, usage: { input: 49_600 + 10_000 * summaries } },
    ]);
  });
});

onNewestHost((host) => {
  test.for([
    { counted: "neither", tokens: { max: 240 }, requests: 6, used: 240 },
    { counted: "reads", tokens: { max: 240, cacheReads: true }, requests: 3, used: 300 },
    { counted: "writes", tokens: { max: 240, cacheWrites: true }, requests: 4, used: 240 },
    { counted: "both", tokens: { max: 240, cacheReads: true, cacheWrites: true }, requests: 2, used: 240 },
  ])(
    "of 120 tokens an answer, 60 read from a cache and 20 written to one, $counted counted: 240 are $requests answers",
    async ({ tokens, requests, used }) => {
      await using stage = await setStage(host, () => withUsage(ofThePrompt, working));
      await stage.sandbox.writeUserConfig({ tokens });
      const { stderr } = await stage.print("Go.", { beside });
      expect(stage.model.requests).toHaveLength(requests);
      expect(stderr).toContain(`Token limit reached (${used}/240).`);
      const cached = { cacheRead: 60 * requests, cacheWrite: 20 * requests };
      expect(await recorded(stage, OUTCOME)).toMatchObject([
        { usage: { input: 20 * requests, output: 20 * requests, ...cached } },
      ]);
    },
  );

  test("what an answer takes beyond the limit is said", async () => {
    await using stage = await setStage(host, () => withUsage({ promptTokens: 700 }, working));
    const { stderr } = await stage.print("Go.", { args: ["--max-tokens", "1k"] });
    expect(stage.model.requests).toHaveLength(2);
    expect(stderr).toContain("Token limit reached (1.4k/1k).");
  });

  test("raised while the question is open, the limit answers it and the held turn goes on", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ args: ["--max-tokens", "240"] });
    await pi.prompt("Go.");
    await pi.nextDialog();
    expect(stage.model.requests).toHaveLength(2);
    await tell(pi, "/token-limit 480");
    const next = await pi.nextDialog();
    expect(next.message).toBe("You've used 480 of 480 tokens. Continue?");
    expect(stage.model.requests).toHaveLength(4);
    pi.answer(next, no);
    await pi.settled();
    expect(questions(pi)).toHaveLength(2);
    expect(stage.model.requests).toHaveLength(4);
  });

  test("raised by too little while the question is open, the limit leaves it open", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ args: ["--max-tokens", "200"] });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    await tell(pi, "/token-limit 240");
    pi.answer(question, yes);
    const next = await pi.nextDialog();
    expect(next.message).toBe("You've used 240 of 240 tokens. Continue?");
    expect(stage.model.requests).toHaveLength(4);
    pi.answer(next, no);
    await pi.settled();
  });

  test("removed while the question is open, the limit lets the held turn go on", async () => {
    await using stage = await setStage(host, sequence([working, working, working]));
    const pi = await stage.rpc({ args: ["--max-tokens", "240"] });
    await pi.prompt("Go.");
    await pi.nextDialog();
    await tell(pi, "/token-limit unlimited");
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(stage.model.requests).toHaveLength(4);
    expect(questions(pi)).toHaveLength(1);
  });

  test("from unlimited to a number while the agent works, tokens count from zero", async () => {
    const { script, release } = heldAtSecond();
    await using stage = await setStage(host, script);
    const pi = await stage.rpc();
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await stage.model.waitForRequest(2);
    await tell(pi, "/token-limit 360");
    expect(pi.widget("turn-limit")).toEqual(["Turns: 2/25 · Tokens: 0/360"]);
    release();
    await pi.settled();
    expect(questions(pi)).toEqual(["Token limit reached: You've used 360 of 360 tokens. Continue?"]);
    expect(stage.model.requests).toHaveLength(4);
  });

  test("from one number to another while the agent works, tokens keep their count", async () => {
    const { script, release } = heldAtSecond();
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ args: ["--max-tokens", "1k"] });
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await stage.model.waitForRequest(2);
    await tell(pi, "/token-limit 200");
    expect(pi.widget("turn-limit")).toEqual(["Turns: 2/25 · Tokens: 120/200"]);
    release();
    await pi.settled();
    expect(questions(pi)).toEqual(["Token limit reached: You've used 240 of 200 tokens. Continue?"]);
    expect(stage.model.requests).toHaveLength(2);
  });
});
