import fc from "fast-check";
import type { Headless, Max } from "../../src/index.ts";
import { type Action, answer, end, poll, requestWrapUp, settle, steps, turn, turnThen } from "./actions.ts";
import { changeGrace, changeHeadless, changeLimit, changeSteps, offerGrace, refuse } from "./changes.ts";
import { check } from "./invariants.ts";
import { happens } from "./rules.ts";
import type { Subject } from "./Subject.ts";
import type { Budget, Settings, World } from "./World.ts";

type Command = fc.Command<World, Subject>;

/** A limit: small enough to be hit often, 0 included, or none. */
const anyMax: fc.Arbitrary<Max> = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 1, arbitrary: fc.constant("unlimited" as const) },
);

const anyBudget: fc.Arbitrary<Budget | null> = fc.option(
  fc.record(
    {
      max: fc.integer({ min: 1, max: 6 }),
      onExhausted: fc.constantFrom("raise" as const, "synthesize" as const),
    },
    { noNullPrototype: true },
  ),
  { freq: 3 },
);

const anyGrace = fc.integer({ min: 0, max: 4 });

const anyHeadless: fc.Arbitrary<Headless> = fc.constantFrom("stop", "synthesize");

/** What a session can be set up with. */
export const anySettings: fc.Arbitrary<Settings> = fc.record({
  hasUi: fc.boolean(),
  max: anyMax,
  budget: anyBudget,
  grace: anyGrace,
  headless: anyHeadless,
});

/** Everything that can happen to a governor, in any order, sensible or not; a working agent more often. */
export const anyCommands: fc.Arbitrary<Command>[] = [
  always("person prompts", (world, { governor, onlooker }) => {
    happens(world, "PromptReceived");
    governor.prompt();
    onlooker.sawPrompt();
  }),
  ...often(4, always("turn that is answered", turnThen("TurnAnswered"))),
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
    3,
    fc.integer({ min: 1, max: 4 }).map((count) => command(`${count} calls`, steps(count))),
  ),
  ...often(2, always("another turn comes", poll)),
  always("wrap up!", requestWrapUp),
  ...often(
    2,
    anyMax.map((max) => command(`limit ${max}`, changeLimit(max))),
  ),
  anyBudget.map((budget) => command(`steps ${JSON.stringify(budget)}`, changeSteps(budget))),
  anyGrace.map((grace) => command(`grace ${grace}`, changeGrace(grace))),
  fc
    .constantFrom(undefined, -1, 0, 1, 2, 3, 9)
    .map((grace) => command(`dynamic grace ${grace}`, offerGrace(grace))),
  anyHeadless.map((headless) => command(`headless ${headless}`, changeHeadless(headless))),
  fc.constantFrom(-1, 1.5, Number.NaN).map((value) => command(`limits of ${value}`, refuse(value))),
  always("reset", (world, { governor, onlooker }) => {
    happens(world, "ResetRequested");
    governor.reset();
    onlooker.sawReset();
  }),
  ...often(2, always("settled", settle)),
  always("saved and restored", (_world, subject) => subject.saveAndRestore()),
];

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
