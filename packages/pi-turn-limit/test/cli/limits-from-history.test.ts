import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { answerInTurn, limitInForce, no, questions, tell, work } from "../helpers/talk.ts";
import { Conversation } from "../stats-history.ts";

const earlier = "2020-01-01T00-00-00-000Z_before";

/** Runs of an earlier session, each of so many turns. */
async function worked({ sandbox }: Stage, ...turns: number[]): Promise<void> {
  const session = new Conversation("before", Date.UTC(2020, 0, 1));
  for (const count of turns) session.prompt().turns(count);
  const folder = join(sandbox.agentDir, "sessions", "--before--");
  await mkdir(folder, { recursive: true });
  const lines = session.lines.map((line) => JSON.stringify(line));
  await writeFile(join(folder, `${earlier}.jsonl`), `${lines.join("\n")}\n`);
}

/** 20 runs of 1, 2, 3, 1, 2, 3 … turns. */
const twentyRuns = Array.from({ length: 20 }, (_, index) => (index % 3) + 1);

onEachHost((host) => {
  test("p90 is what 90 % of one's own runs took, and holds exactly [ChosenFromHistory]", async () => {
    await using stage = await setStage(host, endless());
    await worked(stage, ...twentyRuns);
    const pi = await stage.rpc({ session: true, env: { PI_MAX_TURNS: "p90" } });
    answerInTurn(pi, no);
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(3);
    expect(pi.notifications).toContainEqual({
      message: "Turn limit set to 3 (p90 of your last 20 runs).",
      type: "info",
    });
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 3 turns. Continue?"]);
  });
});

onNewestHost((host) => {
  test("it can be set by a command, and is never above what is set beside it", async () => {
    await using stage = await setStage(host, endless());
    await worked(stage, ...twentyRuns);
    const pi = await stage.rpc({ session: true });
    expect(await tell(pi, "/turn-limit p90 up to 2 grace 1")).toEqual({
      message: "Turn limit set to 2 grace 1 (p90 of your last 20 runs is 3).",
      type: "info",
    });
    expect(pi.widget("turn-limit")).toEqual(["Turns: 0/2"]);
    answerInTurn(pi, no);
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(2);
    expect(await limitInForce(pi)).toContain(
      "Turn limit: 2 (p90 of your last 20 runs is 3; /turn-limit in this session), grace 1 (/turn-limit in this session).",
    );
  });

  test("with 19 finished runs the default holds, and that is said [ChosenFromHistory]", async () => {
    await using stage = await setStage(host, endless());
    await worked(stage, ...twentyRuns.slice(1));
    const pi = await stage.rpc({ session: true });
    const why = "p90 needs 20 finished runs, and there are 19";
    const said = async (command: string) => (await tell(pi, command)).message;
    expect(await said("/turn-limit p90")).toBe(`Turn limit not chosen: ${why}. The default holds: 25.`);
    expect(await said("/turn-limit p90 up to 5")).toBe(
      `Turn limit not chosen: ${why}. What holds instead: 5 (p90 up to 5).`,
    );
    expect(await said("/cost-limit p90")).toBe(
      `Cost limit not chosen: ${why}. The default holds: unlimited.`,
    );
    expect(await said("/cost-limit p90 up to $2, $20 per day")).toMatch(
      /^Cost limit set to \$20\.00 per day\. Cost limit not chosen: .* What holds instead: \$2\.00 \(p90 up to \$2\.00\)\. /,
    );
    expect(await limitInForce(pi)).toContain(
      `Turn limit: 5 (not chosen: ${why}; /turn-limit in this session).`,
    );
    // As after /turn-limit 10, what else a command set stays, and is said.
    await said("/turn-limit 10 grace 3");
    expect(await said("/turn-limit p90")).toBe(
      `Turn limit not chosen: ${why}. The default holds: 25, with grace 3.`,
    );
  });

  test.for([
    ["/turn-limit p0", '"p0" is not a percentile. Use p1 to p99, such as p90.'],
    ["/turn-limit p101", '"p101" is not a percentile. Use p1 to p99, such as p90.'],
    ["/turn-limit p", '"p" is not a percentile. Use p1 to p99, such as p90.'],
    ["/turn-limit p99.9", '"p99.9" is not a percentile. Use p1 to p99, such as p90.'],
    ["/turn-limit p90 up to many", 'After p90 up to, use a whole number, not "many".'],
    ["/turn-limit 25 up to 50", "Only a percentile is followed by up to: p90 up to 10."],
    ["/turn-limit p90 per day", "A percentile is of what single runs took: it needs a limit for one run."],
    ["/turn-limit p90 stop up to 5", 'After p90 stop, use extend or grace, not "up".'],
  ] as const)("%s is refused, and nothing changes", async ([command, why]) => {
    await using stage = await setStage(host, endless());
    await worked(stage, ...twentyRuns);
    const pi = await stage.rpc({ maxTurns: 7 });
    expect(await tell(pi, command)).toEqual({
      message: `Invalid turn limit${command.endsWith("per day") ? " per day" : ""}. ${why}`,
      type: "error",
    });
    expect(await limitInForce(pi)).toContain("Turn limit: 7 (--max-turns)");
  });

  test("every limit can be one, in the settings file, too, each with its amounts", async () => {
    await using stage = await setStage(host, endless());
    await worked(stage, ...twentyRuns);
    await stage.sandbox.writeUserConfig({
      turns: { max: "P90", grace: 1 },
      steps: "p50",
      tokens: "p90 up to 200k",
      cost: { max: "p90 up to $5", unpriced: "tokens" },
      time: "p50",
      tools: { bash: { max: "p75" } },
    });
    const { stderr } = await stage.print("/limits", { session: true });
    expect(stderr).toMatch(/Turns .*3 .*p90, your settings/);
    expect(stderr).toMatch(/Steps .*1 .*p50, your settings/);
    expect(stderr).toMatch(/Tokens .*1k .*p90 up to 200k, your settings/);
    expect(stderr).toMatch(/Cost .*\$0\.03 .*p90 up to \$5\.00, your settings/);
    expect(stderr).toMatch(/Time .*\ds .*p50, your settings/);
    expect(stderr).toMatch(/bash calls .*2 .*p75, your settings/);
  });

  test("what is wrong in a file is told, and the next source holds", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({
      turns: "p101",
      repeats: "p90",
      cost: { max: "p90", per: "day" },
    });
    const { stderr } = await stage.print("/turn-limit");
    expect(stderr).toContain('"turns": Invalid turn limit. "p101" is not a percentile.');
    expect(stderr).toContain('"repeats": Invalid repeat limit. A percentile is of what single runs took');
    expect(stderr).toContain(
      '"cost.max": Invalid cost limit per day. A percentile is of what single runs took',
    );
    expect(stderr).toContain("Turn limit: 25 (");
  });

  test("a project may have one only where it cannot raise the person's limit", async () => {
    await using stage = await setStage(host, endless());
    await worked(stage, ...twentyRuns);
    await stage.sandbox.writeProjectConfig({ turns: "p90" });
    const refused = await stage.print("/turn-limit");
    expect(refused.stderr).toContain(
      "The turn limit p90 is ignored: a project may lower your limit of 25, not raise it: p90 up to 25 could not.",
    );
    expect(refused.stderr).toContain("Turn limit: 25 (default)");
    await stage.sandbox.writeProjectConfig({ turns: "p90 up to 25" });
    expect((await stage.print("/turn-limit")).stderr).toContain(
      "Turn limit: 3 (p90 of your last 20 runs; project",
    );
  });

  test("it is chosen once in a session, also when that is opened again, and again when it is set again [StaysChosen] [ChosenAgainWhenSet]", async () => {
    await using stage = await setStage(host, endless());
    await worked(stage, ...twentyRuns);
    const options = { session: true, args: ["-c"], maxTurns: "p90" } as const;
    const first = await stage.rpc({ ...options, args: [] });
    answerInTurn(first, no);
    await work(first, "Go.");
    expect(stage.model.requests).toHaveLength(3);
    await first[Symbol.asyncDispose]();
    await worked(stage, ...twentyRuns, ...twentyRuns.map(() => 6));
    const second = await stage.rpc(options);
    answerInTurn(second, no);
    await work(second, "Go.");
    expect(stage.model.requests).toHaveLength(6);
    expect((await tell(second, "/turn-limit p90")).message).toMatch(
      /^Turn limit set to 6 \(p90 of your last 4\d runs\)\.$/,
    );
  });

  test("in print mode the number is told on stderr, and the run ends there", async () => {
    await using stage = await setStage(host, endless());
    await worked(stage, ...twentyRuns);
    const { stderr, code } = await stage.print("Go.", { maxTurns: "p90" });
    expect(stderr).toContain("Turn limit set to 3 (p90 of your last 20 runs).");
    expect(stderr).toContain("Turn limit reached (3/3).");
    expect(stage.model.requests).toHaveLength(3);
    expect(code).toBe(1);
  });

  test("without a percentile no earlier session is read", async () => {
    await using stage = await setStage(host, endless());
    await worked(stage, ...twentyRuns);
    const past = join(stage.sandbox.agentDir, "sessions", "--before--", `${earlier}.jsonl`);
    // Whoever reads it would wait for somebody to write.
    execFileSync("rm", [past]);
    execFileSync("mkfifo", [past]);
    const { code } = await stage.print("Go.", { maxTurns: 2, session: true });
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 2 });
  });
});

await onNewestTerminal((host) => {
  test("the panel takes one, shows the number with it, and saves it as it was said", async () => {
    await using stage = await setStage(host, endless());
    await worked(stage, ...twentyRuns);
    const pi = await stage.tui({ session: true });
    await pi.submit("/limits");
    await pi.waitFor(/^→ Turns /m);
    await pi.press("Enter");
    await pi.press("C-u");
    await pi.type("p90 up to 50");
    await pi.press("Enter");
    await pi.waitFor(/^→ Turns .*\/3 .*p90 up to 50/m);
    await pi.press("s");
    await pi.waitFor("Save p90 up to 50 for all sessions?");
    await pi.press("s");
    await pi.waitFor("Saved to your settings");
    const file = join(stage.sandbox.agentDir, "turn-limit.json");
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ turns: "p90 up to 50" });
  });
});
