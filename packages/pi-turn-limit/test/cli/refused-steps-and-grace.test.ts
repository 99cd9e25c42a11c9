import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leavesWithoutEnd } from "../helpers/executed.ts";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { limitInForce, tell } from "../helpers/talk.ts";

const allowedInFiles = 'a whole number of 1 or more, or "unlimited"';

const refusedSteps = ["0", "-1", "1.5", "1e3", "abc", "40 explode", "unlimited synthesize", "40 raise 5"];
const refusedGrace = ["-1", "1.5", "1e3", "abc", "2 3"];

/** What a text source is given, what stands in the settings files, and how a refusal names the latter. */
const stepsFromEachSource = [
  { text: "0", why: '"0" is below 1. Use 1 or more, or unlimited.', json: "0", named: "0" },
  {
    text: "40 explode",
    why: 'After 40, use ask, stop, raise, synthesize, refuse or per, not "explode".',
    json: "[]",
    named: "[]",
  },
];

onNewestHost((host) => {
  test("/step-limit refuses what is no limit, says what is, and changes nothing", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxSteps: 9 });
    for (const text of refusedSteps) {
      const { message, type } = await tell(pi, `/step-limit ${text}`);
      expect(message).toMatch(/^Invalid step limit\. [^\n]{10,120}\.$/);
      expect(type).toBe("error");
    }
    expect((await tell(pi, "/step-limit")).message).toBe("Step limit: 9 (--max-steps). Used: 0.");
    expect(pi.widget("turn-limit")).toBeUndefined();
  });

  test("/turn-limit refuses what is no grace, and changes nothing", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: "9 grace 2" });
    for (const text of [...refusedGrace, ""]) {
      const { message, type } = await tell(pi, `/turn-limit 25 grace ${text}`);
      const isNumber = text === "2 3";
      const why = isNumber ? "After 25 grace 2, use ask, " : "grace needs a whole number";
      expect(message).toMatch(new RegExp(`^Invalid turn limit\\. ${why}`));
      if (text !== "") expect(message).toContain(`, not "${text.slice(isNumber ? 2 : 0)}".`);
      expect(type).toBe("error");
    }
    expect(await limitInForce(pi)).toContain("Turn limit: 9 grace 2 (--max-turns)");
  });

  test.for(stepsFromEachSource)(
    "$text, or $json in a file, is refused once from each source, and the default is used",
    async ({ text, why, json, named }) => {
      await using stage = await setStage(host, endless());
      const user = await stage.sandbox.writeUserConfig(`{ "steps": ${json} }`);
      const project = await stage.sandbox.writeProjectConfig(`{ "steps": ${json} }`);
      const cast = { args: [`--max-steps=${text}`], env: { PI_MAX_STEPS: text } };
      const { stderr } = await stage.print("/step-limit", cast);
      for (const refusal of [
        `Invalid step limit from --max-steps. ${why}`,
        `Invalid step limit from PI_MAX_STEPS. ${why}`,
        `${project}: "steps": Invalid step limit. Use ${allowedInFiles}, not ${named}.`,
        `${user}: "steps": Invalid step limit. Use ${allowedInFiles}, not ${named}.`,
      ]) {
        expect(stderr.split(refusal)).toHaveLength(2);
      }
      expect(stderr).toContain("Step limit: unlimited (--max-steps was refused)");
    },
  );

  test.for([
    { text: "-1", why: '"-1" is below 0. Use 0 or more.' },
    { text: "2 3", why: 'Use a whole number, not "2 3".' },
  ])("a grace of $text is refused once from each source, and none is used", async ({ text, why }) => {
    await using stage = await setStage(host, endless());
    const settings = { turns: { max: 20, grace: text } };
    const user = await stage.sandbox.writeUserConfig(settings);
    const project = await stage.sandbox.writeProjectConfig(settings);
    const cast = { args: [`--turn-grace=${text}`], env: { PI_TURN_GRACE: text } };
    const { stderr } = await stage.print("/turn-limit", cast);
    const given = JSON.stringify(text);
    for (const refusal of [
      `Invalid turn grace from --turn-grace. ${why}`,
      `Invalid turn grace from PI_TURN_GRACE. ${why}`,
      `${project}: "turns.grace": Invalid turn grace. Use a whole number of 0 or more, not ${given}.`,
      `${user}: "turns.grace": Invalid turn grace. Use a whole number of 0 or more, not ${given}.`,
    ]) {
      expect(stderr.split(refusal)).toHaveLength(2);
    }
    expect(stderr).toContain("Turn limit: 20 (project settings");
  });

  test("an empty flag is refused, and the next source is used", async () => {
    await using stage = await setStage(host, endless());
    const cast = {
      args: ["--max-steps=", "--turn-grace="],
      env: { PI_MAX_STEPS: "8", PI_TURN_GRACE: "3" },
    };
    const { stderr } = await stage.print(["/step-limit", "/turn-limit"], cast);
    expect(stderr).toContain(
      `Invalid step limit from --max-steps. Use a whole number, or unlimited, not "".`,
    );
    expect(stderr).toContain(`Invalid turn grace from --turn-grace. Use a whole number, not "".`);
    expect(stderr).toContain("Step limit: 8 (PI_MAX_STEPS)");
    expect(stderr).toContain("Turn limit: 25 (default), grace 3 (PI_TURN_GRACE)");
  });

  test("an empty environment variable is none, without a word", async () => {
    await using stage = await setStage(host, endless());
    const env = { PI_MAX_STEPS: "", PI_TURN_GRACE: "" };
    const { stderr } = await stage.print(["/step-limit", "/turn-limit"], { env });
    expect(stderr).toBe("Step limit: unlimited (default). Used: 0.\nTurn limit: 25 (default). Used: 0/25.\n");
  });

  test("a refused flag does not lift the limit that the environment sets [CallRaises]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const cast = { args: ["--max-steps=40 explode"], env: { PI_MAX_STEPS: "2" } };
    const { stderr } = await stage.print("Go.", cast);
    expect(await executed(stage)).toHaveLength(2);
    expect(stderr).toContain("Step limit exceeded (2)");
  });

  test("a policy of steps and a maximum that are none are refused by name, and the rest is used", async () => {
    await using stage = await setStage(host, endless());
    const user = await stage.sandbox.writeUserConfig({ steps: { max: 40, onExhausted: "explode" } });
    const project = await stage.sandbox.writeProjectConfig({ steps: { max: 0 } });
    const { stderr } = await stage.print("/step-limit");
    expect(stderr).toContain(
      `"steps.onExhausted": Invalid step policy. Use "ask", "stop", "raise", "synthesize" or "refuse", not "explode".`,
    );
    expect(stderr).toContain(`${project}: "steps.max": Invalid step limit. Use a whole number of 1 or more`);
    expect(stderr).toContain(`Step limit: 40 (your settings, ${user})`);
  });

  test("a headless policy and a message that are none are refused by name, and the rest is used", async () => {
    await using stage = await setStage(host, endless());
    const turns = { max: 3, headless: "explode", message: " ", graze: 2 };
    const file = await stage.sandbox.writeUserConfig({ turns });
    const { stderr } = await stage.print("/turn-limit");
    expect(stderr).toContain(`${file}:\n  "turns.headless": Invalid turn headless policy.`);
    expect(stderr).toContain('Use "stop", "raise" or "synthesize"');
    expect(stderr).toContain(`"turns.message": Invalid wrap-up message.`);
    expect(stderr).toContain(`"turns.graze" is not a setting.`);
    expect(stderr).toContain("Turn limit: 3 (your settings");
  });

  test("a grace or a reserve that has no effect is told, once", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ turns: { max: 3, grace: 3 }, tokens: { reserve: "10k" } });
    const pi = await stage.rpc();
    await pi.send({ type: "new_session" });
    await limitInForce(pi);
    const told = pi.notifications
      .map(({ message }) => message)
      .filter((message) => message.includes("no effect"));
    expect(told).toEqual([
      "The turn grace of 3 has no effect with a turn limit of 3. Use less than the limit.",
      "The token reserve of 10k has no effect: there is no token limit.",
    ]);
    expect((await tell(pi, "/turn-limit 2 grace 2")).message).toBe(
      "Turn limit set to 2 grace 2. The turn grace of 2 has no effect with a turn limit of 2. Use less than the limit.",
    );
  });
});
