import { expect, test } from "vitest";
import { hanging } from "../helpers/hanging.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { clock, fourMinutes, passTime } from "../helpers/time.ts";
import { messagesIn, unanswered } from "../helpers/unanswered.ts";

const beside = ["records-limit-events", clock];
const OUTCOME = "turn-limit:outcome";
const args = fourMinutes;
const reached = /^Time limit reached \([\dms ]+\/4m\)\./;

onEachHost((host) => {
  test.for(hanging)(
    "$what is cut off when the time is up, and print mode says why",
    async ({ reply, begins }) => {
      await using stage = await setStage(host, () => reply);
      const run = stage.print("Go.", { args, beside });
      await begins(stage);
      await passTime(stage);
      const { code, stdout, stderr } = await run;
      expect(stderr).toMatch(reached);
      expect(stderr).toContain('To allow more, use --max-time, PI_MAX_TIME or "time" in turn-limit.json.\n');
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stage.model.requests).toHaveLength(1);
      expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "time", turns: 1 }]);
    },
  );
});

onNewestHost((host) => {
  test.for(hanging)(
    "$what is cut off in JSON mode, with the outcome in the stream",
    async ({ reply, begins }) => {
      await using stage = await setStage(host, () => reply);
      const run = stage.json("Go.", { args, beside });
      await begins(stage);
      await passTime(stage);
      const { events, stderr } = await run;
      expect(stderr).toMatch(reached);
      const entries = events.filter(({ type }) => type === "entry_appended").map(({ entry }) => entry);
      expect(entries).toMatchObject([{ data: { outcome: "stopped", limit: "time", turns: 1 } }]);
      expect(unanswered(messagesIn(events))).toEqual([]);
    },
  );

  test.for(hanging)(
    "with the policy stop, $what is cut off without a question",
    async ({ reply, begins }) => {
      await using stage = await setStage(host, () => reply);
      const pi = await stage.rpc({ args: ["--max-time", "4m stop"], beside });
      await pi.prompt("Go.");
      await begins(stage);
      await passTime(stage);
      await pi.settled();
      expect(pi.notifications).toEqual([{ message: expect.stringMatching(reached), type: "error" }]);
      expect(stage.model.requests).toHaveLength(1);
      expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "time" }]);
      expect(await recorded(stage, "turn-limit:boundary")).toMatchObject([{ limit: "time", action: "stop" }]);
    },
  );
});
