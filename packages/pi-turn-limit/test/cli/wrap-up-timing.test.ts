import { calls, deferred, fails, type Reply, says, sequence, slow } from "@turn-limit/rig";
import { DEFAULT_WRAP_UP_MESSAGE } from "turn-limit";
import { expect, test } from "vitest";
import { leaves } from "../helpers/executed.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { work } from "../helpers/talk.ts";
import { obeys, shownWrapUps, tellingsOf } from "../helpers/wrapping-up.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const sixGraceTwo = { maxTurns: 6, turnGrace: 2 };
const works = calls(leaves("working"));

/** How the agent comes to its fifth turn, with a message of the person that was queued during the fourth. */
const ways = [
  { when: "works", answer: works },
  { when: "is about to stop", answer: says("Done.") },
];

/** Three turns, a fourth that is held until the gate opens, these replies, and then a model that obeys. */
function heldAtFourth(answer: Reply, ...then: Reply[]) {
  const gate = deferred();
  const script = sequence([works, works, works, slow(answer, gate.promise), ...then], obeys());
  return { script, release: () => gate.resolve() };
}

onEachHost((host) => {
  test.for(ways)(
    "steered as the agent $when, the model is told beside the message, in the same turn [WrapUpDelivered]",
    async ({ answer }) => {
      const { script, release } = heldAtFourth(answer);
      await using stage = await setStage(host, script);
      const pi = await stage.rpc({ ...sixGraceTwo, beside });
      await pi.prompt("Go.");
      await stage.model.waitForRequest(4);
      await pi.steer("Left.");
      release();
      await pi.settled();
      expect(tellingsOf(stage)).toEqual([0, 0, 0, 0, 1]);
      expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain("Left.");
      expect(shownWrapUps(pi.events)).toHaveLength(1);
      expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "wrapped-up", turns: 5 }]);
    },
  );
});

onNewestHost((host) => {
  test.for(ways)(
    "steered as the agent $when, what the model was told is not in the next prompt's requests, and its answer is [WrapUpDelivered]",
    async ({ answer }) => {
      const { script, release } = heldAtFourth(answer);
      await using stage = await setStage(host, script);
      const pi = await stage.rpc(sixGraceTwo);
      await pi.prompt("Go.");
      await stage.model.waitForRequest(4);
      await pi.steer("Left.");
      release();
      await pi.settled();
      await work(pi, "Next.");
      const requests = stage.model.requests.map(({ messages }) => JSON.stringify(messages));
      const next = requests.find((request) => request.includes("Next."));
      expect(next).toContain("Partial answer.");
      expect(next).not.toContain(DEFAULT_WRAP_UP_MESSAGE);
    },
  );

  test.for(ways)(
    "steered as the agent $when, a model whose request is retried is still told, once [TurnRetried]",
    async ({ answer }) => {
      const { script, release } = heldAtFourth(answer, fails(529));
      await using stage = await setStage(host, script);
      const pi = await stage.rpc({ ...sixGraceTwo, beside });
      await pi.prompt("Go.");
      await stage.model.waitForRequest(4);
      await pi.steer("Left.");
      release();
      await pi.settled();
      expect(tellingsOf(stage)).toEqual([0, 0, 0, 0, 1, 1]);
      expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "wrapped-up", turns: 5 }]);
    },
  );

  test.for([
    { offers: "[1, 99]", requests: 2 },
    { offers: "[5, 1]", requests: 6 },
    { offers: "[4, -3]", requests: 6 },
    { offers: '[3, "many", null]', requests: 4 },
  ])(
    "offered $offers by another extension, the model is told before turn $requests [WrapUpDelivered]",
    async ({ offers, requests }) => {
      await using stage = await setStage(host, obeys());
      const cast = { beside: ["offers-grace"], env: { OFFERED_GRACE: offers } };
      const { stdout } = await stage.print("Go.", { ...sixGraceTwo, ...cast });
      expect(stage.model.requests).toHaveLength(requests);
      expect(stdout).toBe("Partial answer.\n");
    },
  );
});
