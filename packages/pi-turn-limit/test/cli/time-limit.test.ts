import { endless, endsAfter } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { commandHangs, hangs } from "../helpers/hanging.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { counterLines, tell, work } from "../helpers/talk.ts";
import { clock, fourMinutes, passTime } from "../helpers/time.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";

const refused = [
  { text: "600", why: '"600" needs a unit: 600s, 600m or 600h.', json: "600" },
  { text: "10", why: '"10" needs a unit: 10s, 10m or 10h.', json: '"10"' },
  { text: "1x", why: 'Use a time such as 10m, or unlimited, not "1x".', json: '"1x"' },
  { text: "-5m", why: '"-5m" is below 0. Use 0 or more, or unlimited.', json: '"-5m"' },
];

onEachHost((host) => {
  test("an agent that never ends by itself is stopped when its time is up", async () => {
    await using stage = await setStage(host, endless());
    const cast = { maxTurns: "unlimited", args: fourMinutes, beside: [...beside, clock] };
    const run = stage.print("Go.", cast);
    await stage.model.waitForRequest(3);
    await passTime(stage);
    const { code, stderr } = await run;
    expect(stderr).toMatch(/^Time limit reached \([\dms ]+\/4m\)\. To allow more, use --max-time/m);
    expect(code).toBe(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "time" }]);
  });
});

onNewestHost((host) => {
  test("an agent that is done in time is not stopped, and its time is told", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.rpc({ args: ["--max-time", "10m"], beside });
    await work(pi, "Go.");
    expect(pi.notifications).toEqual([]);
    expect(counterLines(pi)[0]).toMatch(/^Turns: 1\/25 · Time: \d+s\/10m$/);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 2 }]);
  });

  test("each prompt has its own time", async () => {
    await using stage = await setStage(host, () => hangs);
    const run = stage.print(["One.", "Two."], { args: fourMinutes, beside: [clock] });
    for (const time of [1, 2]) {
      await commandHangs(stage, time);
      await passTime(stage);
    }
    const { code, stderr } = await run;
    expect(stage.model.requests.map(({ lastUserText }) => lastUserText)).toEqual(["One.", "Two."]);
    expect(stderr.match(/^Time limit reached \([\dms ]+\/4m\)\./gm)).toHaveLength(2);
    expect(code).toBe(1);
  });

  test("a time is taken from the flag, the environment, both settings files and the command", async () => {
    await using stage = await setStage(host, endless());
    const read = async (cast = {}) => (await stage.print("/time-limit", cast)).stderr;
    expect(await read()).toBe("Time limit: unlimited (default). Used: 0s.\n");
    const user = await stage.sandbox.writeUserConfig({ time: "10m" });
    expect(await read()).toBe(`Time limit: 10m (your settings, ${user}). Used: 0s.\n`);
    const project = await stage.sandbox.writeProjectConfig({ time: { max: "90s", onExhausted: "stop" } });
    expect(await read()).toBe(`Time limit: 1m30s stop (project settings, ${project}). Used: 0s.\n`);
    const env = { PI_MAX_TIME: "1h30m" };
    expect(await read({ env })).toContain("Time limit: 1h30m (PI_MAX_TIME), stop (project settings");
    expect(await read({ env, args: ["--max-time", "1s ask"] })).toBe(
      "Time limit: 1s (--max-time). Used: 0s.\n",
    );
    const pi = await stage.rpc({ env });
    expect((await tell(pi, "/time-limit 10m synthesize")).message).toBe("Time limit set to 10m synthesize.");
    expect((await tell(pi, "/time-limit")).message).toBe(
      "Time limit: 10m synthesize (/time-limit in this session). Used: 0s.",
    );
  });

  test.for(refused.slice(0, 2))(
    "$text is no time: it is refused from each source, with what is allowed",
    async ({ text, why, json }) => {
      await using stage = await setStage(host, endless());
      const user = await stage.sandbox.writeUserConfig(`{ "time": ${json} }`);
      const project = await stage.sandbox.writeProjectConfig(`{ "time": ${json} }`);
      const cast = { args: [`--max-time=${text}`], env: { PI_MAX_TIME: text } };
      const { stderr } = await stage.print("/time-limit", cast);
      for (const refusal of [
        `Invalid time limit from --max-time. ${why}`,
        `Invalid time limit from PI_MAX_TIME. ${why}`,
        `${project}: "time": Invalid time limit. Use a time such as "90s"`,
        `${user}: "time": Invalid time limit. Use a time such as "90s"`,
      ]) {
        expect(stderr.split(refusal)).toHaveLength(2);
      }
      expect(stderr).toContain("Time limit: unlimited (--max-time was refused)");
    },
  );

  test("the command refuses what is no time, says what is, and changes nothing", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ args: ["--max-time", "10m"] });
    for (const { text, why } of refused) {
      const { message, type } = await tell(pi, `/time-limit ${text}`);
      expect(message).toBe(`Invalid time limit. ${why}`);
      expect(type).toBe("error");
    }
    expect((await tell(pi, "/time-limit")).message).toBe("Time limit: 10m (--max-time). Used: 0s.");
  });

  test("a limit of no time at all lets nothing begin", async () => {
    await using stage = await setStage(host, endless());
    const { code, stderr } = await stage.print("Go.", { args: ["--max-time", "0s"] });
    expect(stage.model.requests).toEqual([]);
    expect(stderr).toMatch(/^Time limit reached \(\d+s\/0s\)\./);
    expect(code).toBe(1);
  });
});
