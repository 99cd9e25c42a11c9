import { bash, calls, endless, endsAfter, says, sequence, withUsage } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed } from "../helpers/executed.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, tell, work, yes } from "../helpers/talk.ts";

const OUTCOME = "turn-limit:outcome";
const ways = ["user-message", "custom-message"];
const same = calls(bash("echo ran >> executed.txt"));

/** Budgets that are used up after some requests of the same call, or before one. */
const budgets = [
  { limit: "tokens", settings: { tokens: 240 }, requests: 2 },
  { limit: "cost", settings: { cost: "$0.02" }, requests: 2 },
  { limit: "tools.bash", settings: { tools: { bash: { max: 2, headless: "stop" } } }, requests: 3 },
  { limit: "repeats", settings: { repeats: 2 }, requests: 4 },
];
const priced = { modelCost: { input: 100 } };

onEachHost((host) => {
  test("what a tool spends by itself is spent by the run", async () => {
    const consults = withUsage(
      { promptTokens: 0, completionTokens: 0 },
      calls({ name: "consult", arguments: {} }),
    );
    const script = sequence([consults, consults, consults], () => says("Done."));
    const cast = { beside: ["spends", "records-limit-events"] };
    await using stage = await setStage(host, script, priced);
    const { stderr } = await stage.print(["One."], { ...cast, args: ["--max-tokens", "400"] });
    expect(stderr).toContain("Token limit reached (400/400).");
    expect(stage.model.requests).toHaveLength(2);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { turns: 2, usage: { input: 300, output: 100, cost: 0.4 } },
    ]);
  });
});

onNewestHost((host) => {
  test("a program's run goes on with the tokens that are left", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const env = { AUTO_CONTINUE: "user-message", AUTO_CONTINUE_TIMES: "5" };
    const cast = { args: ["--max-tokens", "600"], beside: ["continues"], env };
    const { stderr } = await stage.print("Go.", cast);
    expect(stage.model.requests).toHaveLength(5);
    expect(stderr).toContain("Token limit reached (600/600).");
  });

  test.for(budgets.flatMap((budget) => ways.map((way) => ({ ...budget, way }))))(
    "an extension that goes on by $way cannot make an agent work that is out of $limit",
    async ({ settings, requests, way, limit }) => {
      await using stage = await setStage(host, () => same, priced);
      await stage.sandbox.writeUserConfig(settings);
      const env = { AUTO_CONTINUE: way, AUTO_CONTINUE_TIMES: "2" };
      const { code } = await stage.print("Go.", { beside: ["continues", "records-limit-events"], env });
      expect(stage.model.requests).toHaveLength(requests);
      expect(await executed(stage)).toHaveLength(2);
      expect(code).toBe(1);
      const outcomes = (await recorded(stage, OUTCOME)) as { outcome: string; limit: string }[];
      expect(outcomes.map(({ outcome }) => outcome)).not.toContain("limit-overrun");
      expect(outcomes[0]).toMatchObject({ outcome: "stopped", limit });
    },
  );

  test.for(budgets)(
    "a no at the limit of $limit stands, whatever an extension sends, until the next prompt",
    async ({ settings, requests }) => {
      await using stage = await setStage(host, () => same, priced);
      await stage.sandbox.writeUserConfig(settings);
      const env = { AUTO_CONTINUE: "custom-message", AUTO_CONTINUE_TIMES: "1" };
      const pi = await stage.rpc({ beside: ["continues"], env });
      answerInTurn(pi, no, no);
      await pi.prompt("One.");
      for (let run = 1; run <= 2; run++) await pi.waitFor(({ type }) => type === "agent_settled");
      expect(stage.model.requests).toHaveLength(requests);
      expect(questions(pi)).toHaveLength(1);
      await work(pi, "Two.");
      expect(stage.model.requests).toHaveLength(requests * 2);
      expect(questions(pi)).toHaveLength(2);
    },
  );

  test.for([
    { what: "tokens", args: ["--max-tokens", "0"] },
    { what: "dollars", args: ["--max-cost", "0"] },
  ])(
    "with a limit of 0 $what not one request is sent, and a person is asked before each",
    async ({ args }) => {
      await using stage = await setStage(host, endless(), priced);
      const { code } = await stage.print("Go.", { args });
      expect(stage.model.requests).toEqual([]);
      expect(code).toBe(1);
      const pi = await stage.rpc({ args });
      answerInTurn(pi, yes, yes, no);
      await work(pi, "Go.");
      expect(questions(pi)).toHaveLength(3);
      expect(stage.model.requests).toHaveLength(2);
    },
  );

  test("limits that commands set are kept with the session", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc({ session: true });
    await work(pi, "One.");
    await tell(pi, "/token-limit 200k stop reserve 10k");
    await tell(pi, "/cost-limit $0.50");
    await work(pi, "Two.");
    await pi.close();
    const cast = { session: true, args: ["--continue"] };
    const { stderr } = await stage.print(["/token-limit", "/cost-limit"], cast);
    expect(stderr).toBe(
      "Token limit: 200k stop reserve 10k (/token-limit in this session). Used: 0.\n" +
        "Cost limit: $0.50 (/cost-limit in this session). Used: $0.00.\n",
    );
  });

  test("aborted while the question is open, the run ends, and the next prompt has the whole budget", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ args: ["--max-tokens", "240"], beside: ["records-limit-events"] });
    await pi.prompt("One.");
    await pi.nextDialog();
    await pi.abort();
    await pi.settled();
    expect(stage.model.requests).toHaveLength(2);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "aborted", turns: 2 }]);
    answerInTurn(pi, no);
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(4);
  });
});
