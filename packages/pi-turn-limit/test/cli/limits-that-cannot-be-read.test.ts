import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { endless, endsAfter } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { counterLines, questions, tell } from "../helpers/talk.ts";

/** Every limit that has no maximum unless one is set, with a bad value. */
const limits = [
  { flag: "max-steps", env: "PI_MAX_STEPS", name: "step limit", allowed: "a whole number" },
  {
    flag: "max-tokens",
    env: "PI_MAX_TOKENS",
    name: "token limit",
    allowed: "a number of tokens such as 200k",
  },
  { flag: "max-cost", env: "PI_MAX_COST", name: "cost limit", allowed: "a number of US dollars such as $5" },
  { flag: "max-time", env: "PI_MAX_TIME", name: "time limit", allowed: "a time such as 10m" },
];
const ways = [
  {
    way: "variables",
    names: limits.map(({ env }) => env),
    cast: { env: Object.fromEntries(limits.map(({ env }) => [env, "lots"])) },
  },
  {
    way: "flags",
    names: limits.map(({ flag }) => `--${flag}`),
    cast: { args: limits.map(({ flag }) => `--${flag}=lots`) },
  },
];

onNewestHost((host) => {
  test.for(ways)("limits from $way that are none: without a UI nothing is run", async ({ names, cast }) => {
    await using stage = await setStage(host, endless());
    const { code, stderr } = await stage.print("Go.", cast);
    limits.forEach(({ name, allowed }, index) => {
      expect(stderr).toContain(
        `Invalid ${name} from ${names[index]}. Use ${allowed}, or unlimited, not "lots".`,
      );
    });
    expect(stderr).toContain(
      `${names.slice(0, -1).join(", ")} and ${names.at(-1)} cannot be used, so nothing was sent.`,
    );
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 0 });
  });

  test("without a UI, one limit that is none is enough for nothing to be run", async () => {
    await using stage = await setStage(host, endless());
    const { code, stderr } = await stage.print("Go.", { args: ["--max-time=lots"] });
    expect(stderr).toContain("--max-time cannot be used, so nothing was sent. Correct it, or leave it out.");
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 0 });
  });

  test("limits in a file that are none, or are misspelt: without a UI nothing is run", async () => {
    await using stage = await setStage(host, endless());
    const file = await stage.sandbox.writeUserConfig({
      tokens: { max: -1 },
      cost: { Max: 5 },
      tools: { bash: -1 },
      repeats: 0,
      tiem: 5,
      budget: 5,
    });
    const { code, stderr } = await stage.print("Go.");
    for (const said of [
      '"tokens.max": Invalid token limit. Use ',
      '"cost.Max" is not a setting. Did you mean "cost.max"?',
      '"tools.bash": Invalid bash limit. Use a whole number of 0',
      '"repeats": Invalid repeat limit. Use a whole number of 1',
      '"tiem" is not a setting. Did you mean "time"?',
      '"budget" is not a setting. Use turns, ',
    ])
      expect(stderr).toContain(said);
    for (const at of ["tokens", "cost", "tools.bash", "repeats", "tiem", "budget"])
      expect(stderr).toMatch(RegExp(`"${at}" in ${file}.* cannot be used, so nothing was sent\\.`));
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 0 });
  });

  test("what is no list of tool limits may be any of them: without a UI nothing is run", async () => {
    await using stage = await setStage(host, endless());
    const file = await stage.sandbox.writeUserConfig({ tools: 5 });
    const { code, stderr } = await stage.print("Go.");
    expect(stderr).toContain("Invalid list of tool limits. Use {");
    expect(stderr).toContain(`"tools" in ${file} cannot be used, so nothing was sent.`);
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 0 });
  });

  test("a file that cannot be read may set any limit: without a UI nothing is run", async () => {
    await using stage = await setStage(host, endless());
    const file = await stage.sandbox.writeUserConfig('{ "cost": 5, }');
    const { code, stderr } = await stage.print("Go.", { maxTurns: 3 });
    expect(stderr).toContain(`${file}: This is not valid JSON`);
    expect(stderr).toContain(`${file} cannot be used, so nothing was sent.`);
    expect(stage.model.requests).toHaveLength(0);
    expect(code).toBe(1);
  });

  test("a key that sets no limit where it stands holds nothing", async () => {
    await using stage = await setStage(host, endsAfter(1));
    await stage.sandbox.writeUserConfig({ $schema: "x", cost: { max: 5, reserv: 1 } });
    await stage.sandbox.writeProjectConfig({ projectMayRaise: true });
    const { code, stderr } = await stage.print("Go.");
    expect(stderr).not.toContain("cannot be used");
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 0, requests: 1 });
  });

  test.for(["agentDir", "projectDir"] as const)(
    "what would never end, or never begin, is not opened in place of a file: %s",
    async (folder) => {
      await using stage = await setStage(host, endless());
      const at = folder === "agentDir" ? stage.sandbox.agentDir : join(stage.sandbox.projectDir, ".pi");
      mkdirSync(at, { recursive: true });
      const pipe = join(stage.sandbox.root, "pipe");
      execFileSync("mkfifo", [pipe]);
      const file = join(at, "turn-limit.json");
      symlinkSync(pipe, file);
      const { code, stderr } = await stage.print("Go.");
      expect(stderr).toContain(`${file}: This cannot be read: it is not a regular file.`);
      expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 0 });
    },
  );

  test("the next source that says a limit holds, with a warning", async () => {
    await using stage = await setStage(host, endsAfter(2));
    await stage.sandbox.writeUserConfig({ cost: 5 });
    const { code, stderr } = await stage.print("Go.", { env: { PI_MAX_COST: "5USD" } });
    expect(stderr).toContain('Invalid cost limit from PI_MAX_COST. Write $5, not "5USD".');
    expect(stderr).not.toContain("cannot be used");
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 0, requests: 2 });
  });

  test.for(["unlimited", 1_000_000])("a project's cost of %j does not stand in for yours", async (cost) => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeProjectConfig({ cost });
    const fromVariable = await stage.print("Go.", { env: { PI_MAX_COST: "abc" } });
    expect(fromVariable.stderr).toContain("PI_MAX_COST cannot be used, so nothing was sent.");
    const file = await stage.sandbox.writeUserConfig({ cost: "abc" });
    const fromFile = await stage.print("Go.");
    expect(fromFile.stderr).toContain(`"cost" in ${file} cannot be used, so nothing was sent.`);
    expect([fromVariable.code, fromFile.code]).toEqual([1, 1]);
    expect(stage.model.requests).toHaveLength(0);
  });

  test("with a UI the person is asked before the first turn of a run, and once", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.rpc({ env: { PI_MAX_COST: "5USD" } });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(stage.model.requests).toHaveLength(0);
    expect(question).toMatchObject({
      method: "confirm",
      title: "A limit cannot be used",
      message:
        "PI_MAX_COST cannot be used, so it limits nothing. Use /cost-limit $5 to set the limit. Continue?",
    });
    pi.answer(question, { confirmed: true });
    await pi.settled();
    expect(stage.model.requests).toHaveLength(3);
  });

  test("a no stops the run, and a command that sets the limit settles it", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc({ env: { PI_MAX_COST: "5USD" } });
    await pi.prompt("Go.");
    pi.answer(await pi.nextDialog(), { confirmed: false });
    await pi.settled();
    expect(stage.model.requests).toHaveLength(0);
    expect((await tell(pi, "/cost-limit $5")).message).toBe("Cost limit set to $5.00.");
    await pi.prompt("Go.");
    await pi.settled();
    expect(stage.model.requests).toHaveLength(1);
  });

  test("several of them are one question, which names each and how to set it right", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const file = await stage.sandbox.writeUserConfig({ tools: { bash: -1 }, repeats: 0 });
    const pi = await stage.rpc({ env: { PI_MAX_COST: "five", PI_MAX_TIME: "10" } });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(question).toMatchObject({
      title: "Limits cannot be used",
      message:
        `PI_MAX_COST, PI_MAX_TIME, "tools.bash" in ${file} and "repeats" in ${file} cannot be used, so they limit ` +
        "nothing. Use /cost-limit $5, /time-limit 10m and /tool-limit bash 30 to set these limits. " +
        "To set the others, correct the file, then use /reload. Continue?",
    });
    pi.answer(question, { confirmed: true });
    await pi.settled();
    expect(questions(pi)).toHaveLength(1);
    expect(stage.model.requests).toHaveLength(1);
    expect(counterLines(pi).filter((line) => line?.includes("?"))).toEqual([]);
    expect((await tell(pi, "/cost-limit")).message).toContain(
      "Cost limit: unlimited (PI_MAX_COST was refused). ",
    );
    expect((await tell(pi, "/limits")).message).toMatch(/Repeats .*"repeats" in .* was refused/);
  });

  test("a command that sets one of them leaves the question about the others", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc({ env: { PI_MAX_COST: "five", PI_MAX_STEPS: "0" } });
    await pi.prompt("Go.");
    await pi.nextDialog();
    await pi.prompt("/cost-limit $5");
    const question = await pi.nextDialog();
    expect(question.message).toMatch(/^PI_MAX_STEPS cannot be used, so it limits nothing\. /);
    expect(stage.model.requests).toHaveLength(0);
    await pi.prompt("/step-limit 5");
    await pi.settled();
    expect(stage.model.requests).toHaveLength(1);
  });

  test("what a no is about is said plainly", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc({ env: { PI_MAX_STEPS: "0" }, beside: ["records-limit-events"] });
    await pi.prompt("Go.");
    pi.answer(await pi.nextDialog(), { confirmed: false });
    await pi.settled();
    expect(await recorded(stage, "turn-limit:outcome")).toMatchObject([
      { summary: expect.stringMatching(/^Stopped by you: PI_MAX_STEPS cannot be used · 0 turns/) },
    ]);
  });
});
