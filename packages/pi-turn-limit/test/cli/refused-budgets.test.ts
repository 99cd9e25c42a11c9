import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { tell } from "../helpers/talk.ts";

const tokens = {
  limit: "token limit",
  key: "tokens",
  command: "token-limit",
  flag: "max-tokens",
  env: "PI_MAX_TOKENS",
  allowedInFiles: 'a whole number of 0 or more, a text such as "200k" or "1.5m", or "unlimited"',
  good: "9k",
};
const cost = {
  limit: "cost limit",
  key: "cost",
  command: "cost-limit",
  flag: "max-cost",
  env: "PI_MAX_COST",
  allowedInFiles: 'a number of 0 or more, a text such as "$5" or "$0.50", or "unlimited"',
  good: "$9.00",
};

/** What a text source is given, what stands in the settings files, and how a refusal names the latter. */
const refused = [
  {
    ...tokens,
    text: "1,000,000",
    why: '"1,000,000" has commas: write 1000000.',
    json: '"200"',
    named: '"200"',
  },
  {
    ...tokens,
    text: "200k reserve",
    why: "reserve needs a number of tokens such as 200k.",
    json: "1e999",
    named: "Infinity",
  },
  { ...cost, text: "$5/day", why: 'Write $5 per day, not "$5/day".', json: '"5"', named: '"5"' },
  {
    ...cost,
    text: "$5 refuse",
    why: 'After $5, use ask, stop, raise, synthesize, extend, reserve or per, not "refuse".',
    json: "true",
    named: "true",
  },
];

onNewestHost((host) => {
  test.for(refused)(
    "a $limit of $text, or $json in a file, is refused once from each source and by the command",
    async ({ limit, key, command, flag, env, allowedInFiles, text, why, json, named }) => {
      await using stage = await setStage(host, endless());
      const user = await stage.sandbox.writeUserConfig(`{ "${key}": ${json} }`);
      const project = await stage.sandbox.writeProjectConfig(`{ "${key}": ${json} }`);
      const cast = { args: [`--${flag}=${text}`], env: { [env]: text } };
      const { stderr } = await stage.print([`/${command} ${text}`, `/${command}`], cast);
      for (const refusal of [
        `Invalid ${limit} from --${flag}. ${why}`,
        `Invalid ${limit} from ${env}. ${why}`,
        `${project}: "${key}": Invalid ${limit}. Use ${allowedInFiles}, not ${named}.`,
        `${user}: "${key}": Invalid ${limit}. Use ${allowedInFiles}, not ${named}.`,
        `Invalid ${limit}. ${why}`,
      ]) {
        expect(stderr.split(refusal)).toHaveLength(2);
      }
      expect(stderr).toContain(`: unlimited (--${flag} was refused). Used: `);
    },
  );

  test.for([tokens, cost])(
    "a refused $limit does not lift the one that stands",
    async ({ limit, command, flag, env, good }) => {
      await using stage = await setStage(host, endless());
      const pi = await stage.rpc({ args: [`--${flag}=lots`], env: { [env]: good } });
      const refusal = await tell(pi, `/${command} lots`);
      expect(refusal).toMatchObject({
        message: expect.stringMatching(`^Invalid ${limit}\\. Use .*, not "lots"\\.$`),
        type: "error",
      });
      const standing = `: ${good} (${env}). Used: `;
      expect((await tell(pi, `/${command}`)).message).toContain(standing);
    },
  );

  test("limits of tools and repeats that are none are refused by name, in one message, and the rest is used", async () => {
    await using stage = await setStage(host, endless());
    const file = await stage.sandbox.writeUserConfig({
      turns: 2,
      tools: { bash: -1, read: { max: 2, onExhausted: "explode" }, write: { onExhausted: "stop" } },
      repeats: 0,
    });
    const { stderr } = await stage.print("/turn-limit");
    expect(stderr).toContain(`Turn limit: 2 (your settings, ${file})`);
    expect(stderr.split(`${file}:\n`)).toHaveLength(2);
    for (const refusal of [
      `"tools.bash": Invalid bash limit. Use a whole number of 0 or more, or "unlimited", not -1.`,
      `"tools.read.onExhausted": Invalid read policy. Use "ask", "stop", "raise", "synthesize" or "refuse"`,
      `"tools.write": Invalid write limit. It has no "max".`,
      `"repeats": Invalid repeat limit. Use a whole number of 1 or more, or "unlimited", not 0.`,
    ]) {
      expect(stderr.split(refusal)).toHaveLength(2);
    }
  });
});
