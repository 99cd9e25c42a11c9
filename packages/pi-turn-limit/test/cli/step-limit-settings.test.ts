import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leavesWithoutEnd } from "../helpers/executed.ts";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { type CastOptions, type Stage, setStage } from "../helpers/stage.ts";
import { limitInForce, tell, work } from "../helpers/talk.ts";

async function stepsInForce(stage: Stage, cast?: CastOptions): Promise<string> {
  return (await stage.print("/step-limit", cast)).stderr;
}

onNewestHost((host) => {
  test("what commands set lasts when another Pi resumes the session, and is held to [GraceChanged]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const first = await stage.rpc({ session: true });
    await tell(first, "/step-limit 2");
    await tell(first, "/turn-limit 9 grace 2");
    await work(first, "One.");
    await first.close();
    const cast = { session: true, args: ["--continue"] };
    const { stderr } = await stage.print(["/step-limit", "/turn-limit", "Two."], cast);
    expect(stderr).toContain("Step limit: 2 (/step-limit in this session). Used: 0.");
    expect(stderr).toContain("Turn limit: 9 grace 2 (/turn-limit in this session). Used: 0/9.");
    expect(stderr).toContain("Step limit exceeded (2)");
    expect(await executed(stage)).toHaveLength(4);
  });

  test("nobody has to set anything: steps are not limited, and not shown [SessionOpens] [StepTaken]", async () => {
    await using stage = await setStage(host, endless());
    expect(await stepsInForce(stage)).toBe("Step limit: unlimited (default). Used: 0.\n");
  });

  test.for([
    { value: " 40 RAISE ", limit: "40" },
    { value: "40 synthesize", limit: "40 synthesize" },
  ])("'$value' is taken from the flag and from the environment, without a word", async ({ value, limit }) => {
    await using stage = await setStage(host, endless());
    expect(await stepsInForce(stage, { maxSteps: value })).toBe(
      `Step limit: ${limit} (--max-steps). Used: 0.\n`,
    );
    expect(await stepsInForce(stage, { env: { PI_MAX_STEPS: value } })).toBe(
      `Step limit: ${limit} (PI_MAX_STEPS). Used: 0.\n`,
    );
  });

  test("the command takes the same words, and shows the limit, its source and the count", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxSteps: 7 });
    expect((await tell(pi, "/step-limit")).message).toBe("Step limit: 7 (--max-steps). Used: 0.");
    for (const [said, limit] of [
      ["40", "40"],
      [" 40  ", "40"],
      ["40 synthesize", "40 synthesize"],
      ["40 RAISE", "40"],
      ["UNLIMITED", "unlimited"],
    ]) {
      expect((await tell(pi, `/step-limit ${said}`)).message).toBe(`Step limit set to ${limit}.`);
      const inForce = `Step limit: ${limit} (/step-limit in this session). Used: 0.`;
      expect((await tell(pi, "/step-limit")).message).toBe(inForce);
    }
  });

  test.for([
    { written: '"UNLIMITED"', value: "unlimited" },
    { written: '{ "max": 40, "onExhausted": "synthesize" }', value: "40 synthesize" },
  ])("$written is taken from a settings file, without a word", async ({ written, value }) => {
    await using stage = await setStage(host, endless());
    const file = await stage.sandbox.writeUserConfig(`{ "steps": ${written} }`);
    expect(await stepsInForce(stage)).toBe(`Step limit: ${value} (your settings, ${file}). Used: 0.\n`);
  });

  test("the command goes before the flag, the environment, the project, the person and the default", async () => {
    await using stage = await setStage(host, endless());
    const user = await stage.sandbox.writeUserConfig({ steps: 14 });
    expect(await stepsInForce(stage)).toContain(`Step limit: 14 (your settings, ${user})`);
    const project = await stage.sandbox.writeProjectConfig({ steps: 13 });
    expect(await stepsInForce(stage)).toContain(`Step limit: 13 (project settings, ${project})`);
    const env = { PI_MAX_STEPS: "12" };
    expect(await stepsInForce(stage, { env })).toContain("Step limit: 12 (PI_MAX_STEPS)");
    expect(await stepsInForce(stage, { env, maxSteps: 11 })).toContain("Step limit: 11 (--max-steps)");
    const pi = await stage.rpc({ env, maxSteps: 11 });
    await tell(pi, "/step-limit 10");
    expect((await tell(pi, "/step-limit")).message).toContain("Step limit: 10 (/step-limit in this session)");
  });

  test.for([
    { user: { steps: 10 }, project: { steps: "unlimited" }, value: "10" },
    {
      user: { steps: { max: 10, onExhausted: "synthesize" } },
      project: { steps: 11 },
      value: "10 synthesize",
    },
  ])("with $user, a project's $project may not raise the limit, and this is said", async (options) => {
    await using stage = await setStage(host, endless());
    const settings = await stage.sandbox.writeUserConfig(options.user);
    await stage.sandbox.writeProjectConfig(options.project);
    const said = await stepsInForce(stage);
    expect(said).toContain(`Step limit: ${options.value} (your settings, ${settings})`);
    expect(said).toContain(`a project may lower your limit of 10, not raise it`);
    expect(said).toContain(`"projectMayRaise": true in ${settings}`);
  });

  test.for([
    { user: {}, project: { steps: 500 }, value: "500" },
    { user: { steps: 10, projectMayRaise: true }, project: { steps: "unlimited" }, value: "unlimited" },
  ])("with $user, a project's $project holds", async ({ user, project, value }) => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig(user);
    const file = await stage.sandbox.writeProjectConfig(project);
    expect(await stepsInForce(stage)).toBe(`Step limit: ${value} (project settings, ${file}). Used: 0.\n`);
  });

  test("each part of a limit may come from a source of its own", async () => {
    await using stage = await setStage(host, endless());
    const user = await stage.sandbox.writeUserConfig({ turns: { max: 20, grace: 4 } });
    const project = await stage.sandbox.writeProjectConfig({ turns: { max: 10 } });
    const limit = `Turn limit: 10 (project settings, ${project})`;
    const byFiles = await stage.print("/turn-limit");
    expect(byFiles.stderr).toContain(`${limit}, grace 4 (your settings, ${user}).`);
    const pi = await stage.rpc({ turnGrace: " 1 ", env: { PI_TURN_GRACE: "2" } });
    expect(await limitInForce(pi)).toContain(`${limit}, grace 1 (--turn-grace).`);
  });
});
