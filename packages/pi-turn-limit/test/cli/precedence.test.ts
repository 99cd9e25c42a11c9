import { bash, calls, endless, sequence } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { type CastOptions, type Stage, setStage } from "../helpers/stage.ts";
import { limitInForce, tell } from "../helpers/talk.ts";

async function inForce(stage: Stage, cast?: CastOptions): Promise<string> {
  return (await stage.print("/turn-limit", cast)).stderr;
}

onEachHost((host) => {
  test.for([
    { trusted: true, value: 3 },
    { trusted: false, value: 25 },
  ])("of a project whose trust is $trusted the limit is $value", async ({ trusted, value }) => {
    await using stage = await setStage(host, endless(), { trusted, projectSettings: {} });
    await stage.sandbox.writeProjectConfig({ turns: 3 });
    expect(await inForce(stage)).toContain(`Turn limit: ${value} (`);
  });

  test("a project that nobody was asked about is not trusted, and its limit is not used", async () => {
    await using stage = await setStage(host, endless(), { projectSettings: {} });
    await stage.sandbox.writeProjectConfig({ turns: 3 });
    expect(await inForce(stage)).toContain("Turn limit: 25 (default)");
  });
});

onNewestHost((host) => {
  test("the command goes before the flag, the environment, the project, the person and the default", async () => {
    await using stage = await setStage(host, endless());
    expect(await inForce(stage)).toContain("Turn limit: 25 (default)");
    const user = await stage.sandbox.writeUserConfig({ turns: 14 });
    expect(await inForce(stage)).toContain(`Turn limit: 14 (your settings, ${user})`);
    const project = await stage.sandbox.writeProjectConfig({ turns: 13 });
    expect(await inForce(stage)).toContain(`Turn limit: 13 (project settings, ${project})`);
    const env = { PI_MAX_TURNS: "12" };
    expect(await inForce(stage, { env })).toContain("Turn limit: 12 (PI_MAX_TURNS)");
    expect(await inForce(stage, { env, maxTurns: 11 })).toContain("Turn limit: 11 (--max-turns)");
    const pi = await stage.rpc({ env, maxTurns: 11 });
    await tell(pi, "/turn-limit 10");
    expect(await limitInForce(pi)).toContain("Turn limit: 10 (/turn-limit in this session)");
  });

  test.for([
    { user: {}, project: { turns: 26 }, value: 25 },
    { user: { turns: 10 }, project: { turns: 20, projectMayRaise: true }, value: 10 },
    { user: { turns: 10, projectMayRaise: "yes" }, project: { turns: 20 }, value: 10 },
  ])(
    "with $user, a project's $project may not raise the limit, and this is said",
    async ({ user, project, value }) => {
      await using stage = await setStage(host, endless());
      const settings = await stage.sandbox.writeUserConfig(user);
      await stage.sandbox.writeProjectConfig(project);
      const said = await inForce(stage);
      expect(said).toContain(`Turn limit: ${value} (`);
      expect(said).toContain(`a project may lower your limit of ${value}, not raise it`);
      expect(said).toContain(`"projectMayRaise": true in ${settings}`);
    },
  );

  test.for([
    { user: { turns: 10 }, project: { turns: 0 }, value: "0" },
    { user: { turns: 10, projectMayRaise: true }, project: { turns: 20 }, value: "20" },
    { user: { projectMayRaise: true }, project: { turns: "unlimited" }, value: "unlimited" },
  ])("with $user, a project's $project holds", async ({ user, project, value }) => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig(user);
    const file = await stage.sandbox.writeProjectConfig(project);
    expect(await inForce(stage)).toBe(
      `Turn limit: ${value} (project settings, ${file}). Used: 0/${value}.\n`,
    );
  });

  test("an agent that edits the settings files changes nothing for its own run", async () => {
    const edit = bash(
      `mkdir -p .pi && echo '{"turns": 100}' | tee .pi/turn-limit.json > "$PI_CODING_AGENT_DIR/turn-limit.json"`,
    );
    await using stage = await setStage(host, sequence([calls(edit)], endless()));
    await stage.sandbox.writeUserConfig({ turns: 3 });
    const { stderr } = await stage.print("Go.");
    expect(stage.model.requests).toHaveLength(3);
    expect(stderr).toContain("Turn limit reached (3/3)");
    expect(await inForce(stage)).toContain("Turn limit: 100 (project settings");
  });

  test("a settings file edited during the session changes nothing until the next one", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc();
    const file = await stage.sandbox.writeUserConfig({ turns: 4 });
    expect(await limitInForce(pi)).toContain("Turn limit: 25 (default)");
    await pi.send({ type: "new_session" });
    expect(await limitInForce(pi)).toContain(`Turn limit: 4 (your settings, ${file})`);
  });
});
