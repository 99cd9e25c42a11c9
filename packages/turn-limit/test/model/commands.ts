import assert from "node:assert/strict";
import fc from "fast-check";
import type { Governor, Max, TurnDecision } from "../../src/index.ts";
import { check } from "./invariants.ts";
import { happens } from "./rules.ts";
import type { Subject } from "./Subject.ts";
import { boundaryOf, type World } from "./World.ts";

type Command = fc.Command<World, Subject>;
type Action = (world: World, subject: Subject) => void;

/** A limit: small enough to be hit often, 0 included, or none. */
export const anyMax: fc.Arbitrary<Max> = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 1, arbitrary: fc.constant("unlimited" as const) },
);

/** Everything that can happen to a governor, in any order, sensible or not; a working agent more often. */
export const anyCommands: fc.Arbitrary<Command>[] = [
  always("person prompts", (world, subject) => {
    happens(world, "PromptReceived");
    subject.governor.prompt();
    subject.sawRunEnd();
    subject.sawNewRound();
  }),
  ...often(3, always("turn that is answered", turnThen("TurnAnswered"))),
  ...often(2, always("turn that fails", turnThen("TurnFailed"))),
  ...often(2, always("turn that is still in flight", turn)),
  always("turn that is aborted", turnThen("TurnAborted")),
  ...often(
    2,
    fc.boolean().map((yes) => command(yes ? "yes" : "no", answer(yes))),
  ),
  always("turn ended", end("TurnAnswered")),
  always("turn failed", end("TurnFailed")),
  always("turn aborted", end("TurnAborted")),
  ...often(2, always("answer discarded", end("TurnDiscarded"))),
  ...often(
    2,
    anyMax.map((max) => command(`limit ${max}`, setLimit(max))),
  ),
  fc.constantFrom(-1, 1.5, Number.NaN).map((max) => command(`limit ${max}`, refuseLimit(max))),
  always("reset", (world, subject) => {
    happens(world, "ResetRequested");
    subject.governor.reset();
    subject.sawNewRound();
  }),
  always("settled", settle),
  always("saved and restored", (_world, subject) => subject.saveAndRestore()),
];

function turn(world: World, subject: Subject): TurnDecision {
  return decideTurn(world, subject, (governor) => governor.beforeTurn());
}

function turnThen(ending: Ending): Action {
  return (world, subject) => {
    if (turn(world, subject).kind === "proceed") end(ending)(world, subject);
  };
}

type Ending = "TurnAnswered" | "TurnFailed" | "TurnAborted" | "TurnDiscarded";

function end(ending: Ending): Action {
  return (world, { governor }) => {
    happens(world, ending);
    if (ending === "TurnAnswered") governor.turnEnded();
    if (ending === "TurnFailed") governor.turnEnded("failed");
    if (ending === "TurnAborted") governor.turnEnded("aborted");
    if (ending === "TurnDiscarded") governor.turnDiscarded();
  };
}

function answer(yes: boolean): Action {
  return (world, subject) => {
    const reply = (governor: Governor) => governor.answer(yes);
    if (!world.run) {
      assert.equal(reply(subject.governor).kind, "stop");
    } else if (world.run.status === "awaiting_confirmation") {
      happens(world, yes ? "UserConfirmsContinuation" : "UserDeclinesContinuation");
      assert.deepEqual(subject.decide(reply), expectedDecision(world));
      if (yes) subject.sawNewRound(1);
    } else if (world.run.inFlight) {
      assert.equal(subject.decide(reply).kind, "proceed");
    } else {
      decideTurn(world, subject, reply);
    }
  };
}

function decideTurn(
  world: World,
  subject: Subject,
  call: (governor: Governor) => TurnDecision,
): TurnDecision {
  if (!world.run) happens(world, "ContinuationReceived");
  const rule = happens(world, "TurnRequested");
  const decision = subject.decide(call);
  if (decision.kind === "proceed" && rule !== "TurnRetried") subject.sawTurnBegin();
  assert.deepEqual(decision, expectedDecision(world));
  return decision;
}

function expectedDecision(world: World): TurnDecision {
  const { status, endedAt = boundaryOf(world) } = world.run ?? {};
  if (status === "running") return { kind: "proceed" };
  if (status === "awaiting_confirmation") return { kind: "ask", ...endedAt };
  return { kind: "stop", outcome: status === "declining" ? "declined" : "stopped", ...endedAt };
}

function setLimit(max: Max): Action {
  return (world, subject) => {
    const rule = happens(world, max === "unlimited" ? "UserRemovesLimit" : "UserSetsLimit", max);
    subject.governor.maxTurns = max;
    if (rule === "LimitReEnabled") subject.sawNewRound();
  };
}

function refuseLimit(max: number): Action {
  return (_world, { governor }) => {
    assert.throws(() => {
      governor.maxTurns = max;
    }, TypeError);
  };
}

function settle(world: World, subject: Subject): void {
  world.outcome = undefined;
  happens(world, "RunSettled");
  assert.deepEqual(subject.governor.settled(), expectedOutcome(world));
  subject.sawRunEnd();
}

function expectedOutcome({ outcome, max }: World) {
  if (!outcome) return undefined;
  const { kind, run } = outcome;
  const counts = { turns: run.turns, rounds: run.rounds, maxTurns: max, touched: run.touched };
  return run.endedAt ? { kind, limit: run.endedAt.limit, ...counts } : { kind, ...counts };
}

function always(name: string, act: Action): fc.Arbitrary<Command> {
  return fc.constant(command(name, act));
}

function often<T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T>[] {
  return Array.from({ length: times }, () => arbitrary);
}

function command(name: string, act: Action): Command {
  return {
    check: () => true,
    run: (world, subject) => {
      act(world, subject);
      check(subject, world);
    },
    toString: () => name,
  };
}
