import { endless, endsAfter } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";

const beside = ["leaves-a-message"];

/** How often print mode said which limit it was. */
function timesSaid(stderr: string): number {
  return stderr.split("Turn limit reached (2/2).").length - 1;
}

onEachHost((host) => {
  test.for([
    { LEAVE_AT: "agent_end" },
    { LEAVE_AT: "turn_end" },
    { LEAVE_AT: "agent_settled" },
    { LEAVE_AT: "agent_end", LEAVE_AS: "user" },
    { LEAVE_AT: "turn_end", LEAVE_AS: "user" },
    { LEAVE_AT: "agent_settled", LEAVE_AS: "user" },
    { LEAVE_AS: "nothing" },
  ])(
    "a stopped run exits with 1 and says why once, beside another extension: %o [LimitStops]",
    async (env) => {
      await using stage = await setStage(host, endless());
      const { code, stderr } = await stage.print("Go.", { maxTurns: "2 stop", beside, env });
      expect({ code, said: timesSaid(stderr), requests: stage.model.requests.length }).toEqual({
        ...{ code: 1, said: 1, requests: 2 },
      });
    },
  );

  test.for(["agent_end", "session_shutdown"])(
    "a stopped run exits with 1 and says why once, also where another extension ends Pi at %s [LimitStops]",
    async (END_AT) => {
      await using stage = await setStage(host, endless());
      const { code, stderr } = await stage.print("Go.", {
        ...{ maxTurns: "2 stop", beside: ["ends-pi"], env: { END_AT } },
      });
      expect({ code, said: timesSaid(stderr), requests: stage.model.requests.length }).toEqual({
        ...{ code: 1, said: 1, requests: 2 },
      });
    },
  );

  test("only the last prompt decides about the exit code, whatever another extension leaves", async () => {
    const env = { LEAVE_AT: "agent_end" };
    await using stage = await setStage(host, (request) =>
      request.messages.some(({ content }) => JSON.stringify(content).includes("Two."))
        ? endsAfter(1)(request)
        : endless()(request),
    );
    const { code, stderr } = await stage.print(["One.", "Two."], { maxTurns: "2 stop", beside, env });
    expect({ code, said: timesSaid(stderr) }).toEqual({ code: 0, said: 1 });
  });
});
