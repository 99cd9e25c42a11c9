import { calls, fails, says } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { commandHangs } from "../helpers/hanging.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { clock, fourMinutes, passTime } from "../helpers/time.ts";

const events = "records-limit-events";
const OUTCOME = "turn-limit:outcome";
const settings = { retry: { enabled: true, maxRetries: 3, baseDelayMs: 600_000 } };
const hang = calls({ name: "hang", arguments: {} });
const stuck = "What is under way cannot be aborted, so Pi ends here.";

onEachHost((host) => {
  test.for(["something", "nothing"])(
    "where a tool that waits for %s cannot be aborted, print mode ends anyway, and says why",
    async (what) => {
      await using stage = await setStage(host, () => hang);
      const run = stage.print("Go.", {
        args: fourMinutes,
        beside: ["ignores-abort", events, clock],
        env: { HANG_FOR: what },
      });
      await commandHangs(stage);
      await passTime(stage);
      const { code, stderr } = await run;
      expect(stderr).toMatch(/^Time limit reached \([\dms ]+\/4m\)\./);
      expect(stderr).toContain(stuck);
      expect(code).toBe(1);
      expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "time" }]);
    },
  );

  test("time that is up while Pi waits to make a failed request again ends print mode with the reason", async () => {
    await using stage = await setStage(host, () => fails(529), { settings });
    const { code, stderr } = await stage.print("Go.", { args: ["--max-time", "3s"], beside: [events] });
    expect(stderr).toMatch(/^Time limit reached \(\d+s\/3s\)\. To allow more/m);
    expect(code).toBe(1);
    expect(stage.model.requests).toHaveLength(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "time" }]);
  });
});

onNewestHost((host) => {
  test("a tool that cannot be aborted leaves no room for an answer without tools either", async () => {
    await using stage = await setStage(host, () => hang);
    const cast = { args: ["--max-time", "4m synthesize"], beside: ["ignores-abort", clock] };
    const run = stage.json("Go.", cast);
    await commandHangs(stage);
    await passTime(stage);
    const { code, stderr, events } = await run;
    expect(stderr).toContain(stuck);
    expect(code).toBe(1);
    expect(stage.model.requests).toHaveLength(1);
    const entries = events.filter(({ type }) => type === "entry_appended").map(({ entry }) => entry);
    expect(entries).toMatchObject([{ data: { outcome: "stopped", limit: "time" } }]);
  });

  test("a prompt after one that was ended while Pi waited decides how print mode ends", async () => {
    await using stage = await setStage(
      host,
      ({ lastUserText }) => (lastUserText === "One." ? fails(529) : says("All done.")),
      { settings },
    );
    const { code, stdout, stderr } = await stage.print(["One.", "Two."], { args: ["--max-time", "3s"] });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "All done.\n" });
    expect(stderr.match(/^Time limit reached/gm)).toHaveLength(1);
  });
});
