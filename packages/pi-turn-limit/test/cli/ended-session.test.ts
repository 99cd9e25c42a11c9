import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";

onEachHost((host) => {
  test.for([
    { ANSWER_AT: "input", ANSWER_AS: "user" },
    { ANSWER_AT: "session_start,before_agent_start,agent_start,context,agent_end", ANSWER_AS: "note" },
  ])(
    "what another extension makes Pi begin in a session that has ended is not sent: %o [LimitStops]",
    async (env) => {
      // Installed, ours comes after theirs. Pi gives up the prompt that theirs came before, and the session with it.
      await using stage = await setStage(host, endless(), { installed: [] });
      const beside = ["answers-itself"];
      const print = { maxTurns: "3 stop", beside, env: { ...env, ANSWERS: "30" }, timeoutMs: 20_000 };
      const { code, stderr } = await stage.print("Go.", print);
      expect({ code, requests: stage.model.requests.length }, stderr).toEqual({ code: 1, requests: 0 });
      expect(stderr).toContain("already processing");
      expect(stderr).not.toContain("turn-limit.cjs): This extension ctx is stale");
    },
  );
});
