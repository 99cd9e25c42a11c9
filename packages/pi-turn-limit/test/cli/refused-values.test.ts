import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { limitInForce, tell } from "../helpers/talk.ts";

const allowedInFiles = 'a whole number of 0 or more, or "unlimited"';

const refused = [
  "abc",
  "-1",
  "1.5",
  "1e3",
  "٣",
  "99999999999999999999",
  "Infinity",
  "7 8",
  "0x10",
  "unlimited!",
];

/** What a text source is given, what stands in the settings files, and how a refusal names the latter. */
const fromEachSource = [
  {
    text: "99999999999999999999",
    why: '"99999999999999999999" is too large. Use a smaller number, or unlimited.',
    json: "99999999999999999999",
    named: "100000000000000000000",
  },
  {
    text: "7 8",
    why: 'After 7, use ask, stop, raise, synthesize, extend, grace or per, not "8".',
    json: '" 7 "',
    named: '" 7 "',
  },
  {
    text: "unlimited!",
    why: 'Use a whole number, or unlimited, not "unlimited!".',
    json: "null",
    named: "null",
  },
];

onNewestHost((host) => {
  test("the command refuses what is no limit, says what is, and changes nothing", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 9 });
    for (const text of refused) {
      const { message, type } = await tell(pi, `/turn-limit ${text}`);
      expect(message).toMatch(/^Invalid turn limit\. .*(Use|use|Write) [^\n]*\.$/);
      expect(message).toContain(text.split(" ").at(-1));
      // With "Error: " before it, two lines of 80 columns.
      expect(message.length).toBeLessThan(150);
      expect(type).toBe("error");
    }
    expect(await limitInForce(pi)).toBe("Turn limit: 9 (--max-turns). Used: 0/9.");
    expect(pi.widget("turn-limit")).toBeUndefined();
  });

  test.for(fromEachSource)(
    "$text, or $json in a file, is refused once from each source, and the default is used",
    async ({ text, why, json, named }) => {
      await using stage = await setStage(host, endless());
      const user = await stage.sandbox.writeUserConfig(`{ "turns": ${json} }`);
      const project = await stage.sandbox.writeProjectConfig(`{ "turns": ${json} }`);
      const cast = { args: [`--max-turns=${text}`], env: { PI_MAX_TURNS: text } };
      const { stderr } = await stage.print("/turn-limit", cast);
      for (const refusal of [
        `Invalid turn limit from --max-turns. ${why}`,
        `Invalid turn limit from PI_MAX_TURNS. ${why}`,
        `${project}: "turns": Invalid turn limit. Use ${allowedInFiles}, not ${named}.`,
        `${user}: "turns": Invalid turn limit. Use ${allowedInFiles}, not ${named}.`,
      ]) {
        expect(stderr.split(refusal)).toHaveLength(2);
      }
      expect(stderr).toContain("Turn limit: 25 (default)");
    },
  );

  test("a refused value never means unlimited: the agent is stopped at the default", async () => {
    await using stage = await setStage(host, endless());
    await stage.print("Go.", { args: ["--max-turns=Infinity"], env: { PI_MAX_TURNS: "-1" } });
    expect(stage.model.requests).toHaveLength(25);
  });

  test("an empty flag is refused, and the next source is used", async () => {
    await using stage = await setStage(host, endless());
    const cast = { args: ["--max-turns="], env: { PI_MAX_TURNS: "8" } };
    const { stderr } = await stage.print("/turn-limit", cast);
    expect(stderr).toContain(
      `Invalid turn limit from --max-turns. Use a whole number, or unlimited, not "".`,
    );
    expect(stderr).toContain("Turn limit: 8 (PI_MAX_TURNS)");
  });

  test("a number too large to be read is not named as something else", async () => {
    await using stage = await setStage(host, endless());
    const file = await stage.sandbox.writeUserConfig('{ "turns": 1e999 }');
    const { stderr } = await stage.print("/turn-limit");
    expect(stderr).toContain(`${file}: "turns": Invalid turn limit. Use ${allowedInFiles}, not Infinity.`);
    expect(stderr).toContain("Turn limit: 25 (default)");
  });

  test("a settings file that holds no settings is reported and ignored", async () => {
    await using stage = await setStage(host, endless());
    const user = await stage.sandbox.writeUserConfig("turns: 5");
    const project = await stage.sandbox.writeProjectConfig("[5]");
    const { stderr } = await stage.print("/turn-limit");
    expect(stderr.split(`${user}: This is not valid JSON`)).toHaveLength(2);
    expect(stderr.split(`${project}: This is not a JSON object`)).toHaveLength(2);
    expect(stderr).toContain("Turn limit: 25 (default)");
  });

  test("with a UI a bad value is reported once as a notification, also after a new session", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ env: { PI_MAX_TURNS: "abc" } });
    await pi.send({ type: "new_session" });
    expect(await limitInForce(pi)).toContain("Turn limit: 25 (default)");
    const reports = pi.notifications.filter(({ message }) => message.includes("from PI_MAX_TURNS"));
    expect(reports).toEqual([
      {
        message: 'Invalid turn limit from PI_MAX_TURNS. Use a whole number, or unlimited, not "abc".',
        type: "warning",
      },
    ]);
  });
});
