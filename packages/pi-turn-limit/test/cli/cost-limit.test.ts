import { bash, calls, type Reply, type Script, says, turnOf, withUsage } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { named } from "../helpers/named.ts";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { offeredTools } from "../helpers/salvage.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, no, questions, tell, work, yes } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const BOUNDARY = "turn-limit:boundary";
const working = calls(bash("echo working"));
const priced = { modelCost: { input: 1 } };

/** Works without end and without output, for so many dollars an answer at $1 per million; answers if it has no tools. */
function spends(dollars: number): Script {
  const paid = (reply: ReturnType<typeof says>): Reply =>
    withUsage({ promptTokens: dollars * 1_000_000, completionTokens: 0 }, reply);
  return ({ toolNames }) => paid(toolNames.length === 0 ? says("What I know.") : working);
}

onEachHost((host) => {
  test("a person is asked at the limit; yes starts it over, no ends the run", async () => {
    await using stage = await setStage(host, spends(0.1), priced);
    const pi = await stage.rpc({ args: ["--max-cost", "$0.30"], beside });
    answerInTurn(pi, yes, no);
    await work(pi, "Go.");
    const question = "Cost limit reached: You've spent $0.30 of $0.30. Continue?";
    expect(questions(pi)).toEqual([question, question]);
    expect(stage.model.requests).toHaveLength(6);
    expect(counterLines(pi)).toContain("Turns: 2/25 · Cost: $0.20/$0.30");
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "declined", limit: "cost", turns: 6, usage: { cost: 0.6 } },
    ]);
  });
});

onNewestHost((host) => {
  test.for([
    { price: { input: 2, output: 10 }, usage: { promptTokens: 5_000, completionTokens: 1_000 }, each: 0.02 },
    { price: { output: 30 }, usage: { promptTokens: 5_000, completionTokens: 100 }, each: 0.003 },
    {
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      usage: { promptTokens: 9_000, completionTokens: 100, cacheReadTokens: 5_000, cacheWriteTokens: 2_000 },
      each: 0.0165,
    },
  ])(
    "prices of input, output and cache make up the cost: 5 answers of $each dollars are exactly 5 answers",
    async ({ price, usage, each }) => {
      await using stage = await setStage(host, () => withUsage(usage, working), { modelCost: price });
      await stage.print("Go.", { args: ["--max-cost", `${Math.round(each * 5 * 1e9) / 1e9}`], beside });
      expect(stage.model.requests).toHaveLength(5);
      expect(await recorded(stage, OUTCOME)).toMatchObject([
        { outcome: "stopped", usage: { cost: Math.round(each * 5 * 1e9) / 1e9 } },
      ]);
    },
  );

  test("one run has one cost, wherever it is shown: rounded to the cent", async () => {
    await using stage = await setStage(host, spends(0.015), priced);
    const pi = await stage.rpc({ args: ["--max-turns=3", "--max-cost=$1"], beside, session: true });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(pi.widget("turn-limit")?.join()).toContain("Cost: $0.05/$1.00");
    expect((await tell(pi, "/cost-limit")).message).toContain("Used: $0.05.");
    pi.answer(question, no);
    await pi.settled();
    const [outcome] = (await recorded(stage, OUTCOME)) as { summary: string; usage: { cost: number } }[];
    expect(outcome?.summary).toContain(" · $0.05 · ");
    expect(outcome?.usage.cost).toBeCloseTo(0.045, 9);
    const stats = await tell(pi, "/limits stats");
    expect(stats.message).toMatch(/^Dollars +\$0\.05 /m);
  });

  test.for([
    { from: "the flag", cast: { args: ["--max-cost", "$0.80"] }, settings: {} },
    { from: "the environment", cast: { env: { PI_MAX_COST: "0.8" } }, settings: {} },
    { from: "a number in the settings", cast: {}, settings: { cost: 0.8 } },
    { from: "a text in the settings", cast: {}, settings: { cost: { max: "$0.80" } } },
  ])(
    "a limit of 80 cents from $from is used up by exactly 8 answers of 10 cents, and print mode says how to raise it",
    async ({ cast, settings }) => {
      await using stage = await setStage(host, spends(0.1), priced);
      await stage.sandbox.writeUserConfig(settings);
      const { code, stdout, stderr } = await stage.print("Go.", { ...cast, beside });
      expect(stage.model.requests).toHaveLength(8);
      expect(stderr).toBe(
        'Cost limit reached ($0.80/$0.80). To allow more, use --max-cost, PI_MAX_COST or "cost" in turn-limit.json.\n',
      );
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      const [outcome] = (await recorded(stage, OUTCOME)) as object[];
      expect(outcome).toMatchObject({ outcome: "stopped", limit: "cost", turns: 8, usage: { cost: 0.8 } });
      expect(outcome).not.toHaveProperty("unpriced");
      expect(await recorded(stage, BOUNDARY)).toEqual([
        { ...named("cost"), used: 0.8, max: 0.8, action: "stop" },
      ]);
    },
  );

  test("with the policy stop nobody is asked, also where somebody could be", async () => {
    await using stage = await setStage(host, spends(0.1), priced);
    const pi = await stage.rpc({ args: ["--max-cost", "$0.30 stop"] });
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(3);
    expect(questions(pi)).toEqual([]);
    expect(pi.notifications).toEqual([{ message: "Cost limit reached ($0.30/$0.30).", type: "error" }]);
  });

  test.for([
    { policy: "the policy", cost: { max: 0.3, onExhausted: "synthesize" } },
    { policy: "the headless policy", cost: { max: 0.3, headless: "synthesize" } },
  ])("with $policy synthesize print mode prints one last answer, made without tools", async ({ cost }) => {
    await using stage = await setStage(host, spends(0.1), priced);
    await stage.sandbox.writeUserConfig({ cost });
    const { code, stdout, stderr } = await stage.print("Go.", { beside });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(stderr).toBe("Cost limit reached ($0.30/$0.30): one last answer, without tools.\n");
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "salvaged", limit: "cost", usage: { cost: 0.4 } },
    ]);
  });

  test("with a reserve the answer without tools stays within the limit", async () => {
    await using stage = await setStage(host, spends(0.1), priced);
    await stage.print("Go.", { args: ["--max-cost", "$0.40 synthesize reserve $0.10"], beside });
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "salvaged", usage: { cost: 0.4 } }]);
  });

  test("/cost-limit sets and tells the limit, and lifts it while the question is open", async () => {
    const paid = spends(0.1);
    await using stage = await setStage(
      host,
      (request) => (turnOf(request) > 4 ? says("Done.") : paid(request)),
      priced,
    );
    const pi = await stage.rpc();
    expect((await tell(pi, "/cost-limit $0.30")).message).toBe("Cost limit set to $0.30.");
    await pi.prompt("Go.");
    await pi.nextDialog();
    expect((await tell(pi, "/cost-limit")).message).toBe(
      "Cost limit: $0.30 (/cost-limit in this session). Used: $0.30.",
    );
    await tell(pi, "/cost-limit $5");
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(stage.model.requests).toHaveLength(5);
    expect(questions(pi)).toHaveLength(1);
  });

  test("without a cost limit the record says the cost anyway", async () => {
    await using stage = await setStage(host, spends(0.1), priced);
    await stage.print("Go.", { maxTurns: 3, beside });
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ limit: "turns", usage: { cost: 0.3 } }]);
  });
});

await onNewestTerminal((host) => {
  test("a person sees the dollars counted, and what the run took", async () => {
    await using stage = await setStage(host, spends(0.1), priced);
    const pi = await stage.tui({ args: ["--max-cost", "$0.30"] });
    await pi.submit("Go.");
    const screen = await pi.waitFor("You've spent $0.30 of $0.30. Continue?");
    expect(screen).toContain("Turns: 3/25 · Cost: $0.30/$0.30");
    await pi.press("Escape");
    await pi.waitFor(/Stopped by you at the cost limit · 3 turns · 3 steps · 300k tokens · \$0\.30 · \d+s/);
  });
});
