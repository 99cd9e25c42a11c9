import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { calls, deferred, endsAfter, type PiHost, type Script, says, slow } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { sqliteStore } from "../../../turn-limit/src/pools/stores/sqlite/index.ts";
import { exampleOf } from "../helpers/examples.ts";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { salvage, worksUntilToolsFree } from "../helpers/salvage.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import {
  askSubAgent,
  beginTogether,
  commandFor,
  defineSubAgent,
  delegates,
  hasTask,
  inProcess,
  resultOfSubAgent,
  startSubAgents,
  startsPi,
  subAgentRequests,
  TASK,
} from "../helpers/sub-agents.ts";
import { cameToRest, no, tell, yes } from "../helpers/talk.ts";

/** Three sub-agents at once, which work without end. */
const threeWork = () => delegates(three, beginTogether(3, worksUntilToolsFree()));
/** Every answer costs a cent. */
const modelCost = { input: 100 };
const three = calls(startSubAgents(3));

async function stageWithSubAgents(host: PiHost, script: Script): Promise<Stage> {
  const installed = [exampleOf(host, "subagent/index.ts")];
  const stage = await setStage(host, script, { installed, modelCost });
  await defineSubAgent(stage);
  return stage;
}

/** The requests of sub-agents, by whether they offered tools. */
function counted(stage: Stage): { withTools: number; without: number } {
  const withTools = subAgentRequests(stage).filter(({ toolNames }) => toolNames.length > 0).length;
  return { withTools, without: subAgentRequests(stage).length - withTools };
}

const worksInPi = (host: PiHost, how = {}) => delegates(calls(startsPi(host, how)), worksUntilToolsFree());

onEachHost((host) => {
  test("three sub-agents at once draw on what their parent has left of its cost, and each hands back what it has [SubAgentJoins] [OwnerSaysWhatIsLeft]", async () => {
    await using stage = await stageWithSubAgents(host, threeWork());
    await stage.sandbox.writeUserConfig({ cost: 0.05 });
    const { code, stderr } = await stage.print("Go.");
    // Four cents are left. At most two more answers are under way when they are used up.
    const { withTools, without } = counted(stage);
    expect(withTools).toBeGreaterThanOrEqual(4);
    expect(withTools).toBeLessThanOrEqual(6);
    expect(without).toBe(3);
    // What they took is the parent's own, which has nothing left.
    expect(stage.model.requests).toHaveLength(1 + withTools + without);
    expect(stderr).toMatch(/^Cost limit reached \(\$0\.\d+\/\$0\.05\)/);
    expect(code).toBe(1);
  });

  test("a sub-agent in the same process draws on what its parent has left [SubAgentJoins]", async () => {
    const script = delegates(calls(askSubAgent), worksUntilToolsFree());
    await using stage = await setStage(host, script, { installed: [inProcess] });
    await stage.sandbox.writeUserConfig({ tokens: 400 });
    const { code, stderr } = await stage.print("Go.");
    expect(counted(stage)).toEqual({ withTools: 3, without: 1 });
    expect(stage.model.requests).toHaveLength(5);
    expect(stderr).toMatch(/^Token limit reached \(600\/400\)/);
    expect(code).toBe(1);
  });
});

onNewestHost((host) => {
  test("sub-agents take their turns of a limit per session [SubAgentJoins]", async () => {
    await using stage = await stageWithSubAgents(host, threeWork());
    const { code, stderr } = await stage.print("Go.", { args: ["--max-turns", "10 per session"] });
    expect(counted(stage)).toEqual({ withTools: 9, without: 3 });
    expect(stderr).toContain("Turn limit per session reached");
    expect(code).toBe(1);
  });

  test("a Pi that bash starts cannot raise what it was given [SubAgentNeverRaises]", async () => {
    const flags = "--max-cost 5 --max-turns 100";
    await using stage = await setStage(host, worksInPi(host, { flags }), { installed: [], modelCost });
    await stage.print("Go.", { args: ["--max-cost", "$0.04"], env: { PI_MAX_COST: "unlimited" } });
    expect(counted(stage)).toEqual({ withTools: 3, without: 1 });
  });

  test("it can lower what it was given [SubAgentNeverRaises]", async () => {
    const flags = "--max-cost 0.02";
    await using stage = await setStage(host, worksInPi(host, { flags }), { installed: [], modelCost });
    const { stdout } = await stage.print("Go.", { args: ["--max-cost", "$0.50"] });
    expect(counted(stage)).toEqual({ withTools: 2, without: 1 });
    expect(resultOfSubAgent(stage)).toContain("Cost limit reached ($0.02/$0.02)");
    expect(stdout).toBe("That is all.\n");
  });

  test.for(["day", "session"])(
    "a lower limit of its own per %s is asked about, though the parent has room [SubAgentNeverRaises]",
    async (per) => {
      const flags = `--max-turns '3 per ${per}'`;
      await using stage = await setStage(host, worksInPi(host, { flags }), { installed: [], modelCost });
      const pi = await stage.rpc({ args: ["--max-turns", `20 per ${per}`] });
      await pi.prompt("Go.");
      const question = await pi.nextDialog();
      const used = per === "day" ? "today" : "in this session";
      expect(question.title).toBe(
        `Sub-agent "${TASK}": turn limit per ${per} reached\nYou've used 3 turns ${used}. Continue?`,
      );
      pi.answer(question, no);
      await pi.settled();
      // One turn of the day is the parent's.
      expect(counted(stage)).toEqual({ withTools: per === "day" ? 2 : 3, without: 1 });
    },
  );

  test("an agent below a sub-agent draws from the same budget, and counts once", async () => {
    const task = "Look deeper.";
    const deeper = worksUntilToolsFree();
    const starts = calls(startsPi(host, { task }));
    const script = delegates(calls(startsPi(host)), (request) =>
      request.toolNames.length === 0 ? salvage : starts,
    );
    await using stage = await setStage(
      host,
      (request) => (hasTask(request, task) ? deeper(request) : script(request)),
      { installed: [], modelCost },
    );
    const { stderr } = await stage.print("Go.", { args: ["--max-cost", "$0.05"] });
    const ofDeepest = stage.model.requests.filter((request) => hasTask(request, task));
    expect(ofDeepest.map(({ toolNames }) => toolNames.length > 0)).toEqual([true, true, true, false]);
    expect(counted(stage)).toEqual({ withTools: 1, without: 1 });
    expect(stderr).toMatch(/^Cost limit reached \(\$0\.07\/\$0\.05\)/);
  });

  test("what a sub-agent drew is not counted again when its tool call reports it", async () => {
    const { arguments: command } = startsPi(host);
    const script = delegates(calls({ name: "ask_agent", arguments: command }), endsAfter(2));
    const installed = ["reports-what-it-ran", "records-limit-events"];
    await using stage = await setStage(host, script, { installed, modelCost });
    await stage.print("Go.", { args: ["--max-cost", "$1"] });
    expect(stage.model.requests).toHaveLength(4);
    const outcomes = await recorded(stage, "turn-limit:outcome");
    expect(outcomes).toContainEqual(
      expect.objectContaining({ turns: 2, steps: 1, usage: expect.objectContaining({ cost: 0.04 }) }),
    );
  });

  test("a Pi that the person starts by a command, before any prompt, has what a prompt would have, and asks", async () => {
    await using stage = await setStage(host, worksUntilToolsFree(), { installed: [], modelCost });
    const pi = await stage.rpc({ args: ["--max-cost", "$0.03"] });
    const result = pi.send({ type: "bash", command: commandFor(host) });
    const question = await pi.nextDialog();
    expect(question.title).toBe(`Sub-agent "${TASK}": cost limit reached`);
    pi.answer(question, yes);
    pi.answer(await pi.nextDialog(), no);
    expect((await result).data).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining("What I know."),
    });
    expect(counted(stage)).toEqual({ withTools: 6, without: 1 });
  });

  test("a limit that is set while sub-agents work holds those that begin later", async () => {
    const chain = { chain: [TASK, TASK].map((task) => ({ agent: "helper", task })) };
    const begun = deferred();
    const released = deferred();
    let isFirst = true;
    const works = worksUntilToolsFree();
    await using stage = await stageWithSubAgents(
      host,
      delegates(calls({ name: "subagent", arguments: chain }), (request) => {
        if (!isFirst) return works(request);
        isFirst = false;
        begun.resolve();
        return slow(says("That was the first."), released.promise);
      }),
    );
    const pi = await stage.rpc();
    await pi.prompt("Go.");
    await begun.promise;
    await tell(pi, "/cost-limit $0.05");
    released.resolve();
    const question = await pi.nextDialog();
    expect(question.title).toBe(
      `Sub-agent "${TASK}": cost limit reached\nYou've spent $0.05 of $0.05. This sub-agent took $0.05 of it. Continue?`,
    );
    // One of the first, and five cents.
    expect(counted(stage)).toEqual({ withTools: 6, without: 0 });
  });

  test("with a cleaned environment it leaves the tree", async () => {
    const before = 'env -i PATH="$PATH" HOME="$HOME" PI_OFFLINE=1 PI_CODING_AGENT_DIR="$PI_CODING_AGENT_DIR"';
    await using stage = await setStage(host, worksInPi(host, { before, flags: "--max-turns 6" }), {
      installed: [],
      modelCost,
    });
    await stage.print("Go.", { args: ["--max-cost", "$0.04"] });
    expect(counted(stage).withTools).toBe(6);
  });

  test("where no limit says so, nothing is kept", async () => {
    await using stage = await setStage(host, worksInPi(host, { flags: "--max-turns 2" }), { installed: [] });
    const { stdout } = await stage.print("Go.");
    expect(stdout).toBe("That is all.\n");
    const store = sqliteStore(join(stage.sandbox.agentDir, "turn-limit.sqlite"));
    expect([await store.list(), await store.runs()]).toEqual([[], []]);
    await store.close();
  });

  test("what a Pi handed down that has ended is ignored", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    const ended = spawnSync(process.execPath, ["--version"]).pid;
    const env = { PI_TURN_LIMIT_PIS_ABOVE: `${ended}`, PI_TURN_LIMIT_PARENT: '{"version":1' };
    const { code, stderr } = await stage.print("Go.", { maxTurns: 3, env });
    expect(stderr).toContain("Turn limit reached (3/3).");
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 3 });
  });

  test("what was handed down and cannot be used ends the sub-agent, and says why", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    const below = { PI_TURN_LIMIT_PIS_ABOVE: "1" };
    const damaged = await stage.print("Go.", { env: { ...below, PI_TURN_LIMIT_PARENT: '{"version":1' } });
    expect(damaged.stderr).toContain("PI_TURN_LIMIT_PARENT cannot be used, so nothing was sent.");
    const store = join(stage.sandbox.root, "store.sqlite");
    const tokens = { max: "unlimited", cacheReads: false, cacheWrites: false };
    const prompts = [{ pool: "prompt 1", isOpen: true, tokens, cost: { max: 1, unpriced: "warn" } }];
    const PI_TURN_LIMIT_PARENT = JSON.stringify({ version: 1, store, prompts, periods: [] });
    const lost = await stage.print("Go.", { env: { ...below, PI_TURN_LIMIT_PARENT } });
    expect(lost.stderr).toContain("limits of the pool are missing from its record");
    await writeFile(
      store,
      "This is no database, and was never one, however long the text may be.".repeat(50),
    );
    const broken = await stage.print("Go.", { env: { ...below, PI_TURN_LIMIT_PARENT } });
    expect(broken.stderr).toContain("store.sqlite");
    expect([damaged.code, lost.code, broken.code]).toEqual([1, 1, 1]);
    expect(stage.model.requests).toHaveLength(0);
  });
});

await onNewestTerminal((host) => {
  test("a yes on the person's screen is another round for the parent and all its sub-agents [SubAgentAsksAbove] [ReplyGoesDown]", async () => {
    // Seven cents, and one for the last answer.
    await using stage = await stageWithSubAgents(host, delegates(three, beginTogether(3, endsAfter(2))));
    await stage.sandbox.writeUserConfig({ cost: 0.05 });
    const pi = await stage.tui();
    await pi.submit("Go.");
    const asked = await pi.waitFor(`Sub-agent "${TASK}": cost limit reached`);
    expect(asked).toMatch(
      /You've spent \$0\.0[567] of \$0\.05\. This sub-agent took \$0\.0[12] (?:of it|in all)\. Continue\?/,
    );
    expect(asked).toMatch(/Cost: \$0\.0[567]\/\$0\.05 · \d agents?/);
    await pi.type("y");
    await pi.waitFor("That is all.");
    expect(subAgentRequests(stage)).toHaveLength(6);
    expect(stage.model.requests).toHaveLength(8);
  });

  test("a yes about a limit per session is another round for the session and all its sub-agents", async ({
    expect,
  }) => {
    // Seven turns, and one for the last answer.
    await using stage = await stageWithSubAgents(host, delegates(three, beginTogether(3, endsAfter(2))));
    const pi = await stage.tui({ args: ["--max-turns", "5 per session"] });
    await pi.submit("Go.");
    const asked = await pi.waitFor(`Sub-agent "${TASK}": turn limit per session reached`);
    expect(asked).toContain("You've used 5 turns in this session. Continue?");
    await expect.poll(() => subAgentRequests(stage).length).toBe(4);
    await pi.type("y");
    await pi.waitFor("That is all.");
    await cameToRest(pi);
    await pi.submit("/turn-limit");
    await pi.waitFor(/Turn limit per session: .* Used: 8\/10\./);
    expect(stage.model.requests).toHaveLength(8);
  });

  test("after a no each sub-agent is asked about in turn, and hands back what it has [NextAgentAsks] [NoIsHandedBack]", async ({
    expect,
  }) => {
    await using stage = await stageWithSubAgents(host, threeWork());
    await stage.sandbox.writeUserConfig({ cost: 0.05 });
    const pi = await stage.tui();
    await pi.submit("Go.");
    for (const answers of [1, 2, 3]) {
      const screen = await pi.waitFor(/^ Sub-agent .* cost limit reached/m);
      expect(screen.match(/Continue\?/g)).toHaveLength(1);
      await pi.press("Escape");
      await expect.poll(() => counted(stage).without).toBe(answers);
    }
    // Nothing is left for the parent either.
    await pi.waitFor(/^ Cost limit reached/m);
    await pi.press("Escape");
    await pi.waitFor("Agent aborted by user.");
    expect(stage.model.requests.filter((request) => !hasTask(request, TASK))).toHaveLength(1);
  });
});
