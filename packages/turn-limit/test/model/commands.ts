import fc from "fast-check";
import type { Headless, Max, OnBudgetExhausted, Reply, Unpriced, Usage } from "../../src/index.ts";
import {
  type Action,
  answer,
  checkTime,
  end,
  executed,
  noThenProgram,
  poll,
  priceUnknown,
  prompt,
  requestWrapUp,
  retryOr,
  sent,
  settle,
  spend,
  steps,
  timeIsUpThen,
  timePasses,
  turn,
  turnOr,
  turnThen,
  turnWith,
  wait,
} from "./actions.ts";
import { BUDGET_NAMES, type Terms } from "./Budget.ts";
import {
  changeBudget,
  changeGrace,
  changeHeadless,
  changeLimit,
  changeSteps,
  offerGrace,
  refuse,
} from "./changes.ts";
import { check } from "./invariants.ts";
import { happens } from "./rules.ts";
import type { Subject } from "./Subject.ts";
import type { Settings, StepTerms, World } from "./World.ts";

type Command = fc.Command<World, Subject>;

/** A limit: small enough to be hit often, 0 included, or none. */
const anyMax: fc.Arbitrary<Max> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 1, arbitrary: fc.constant("unlimited" as const) },
);

const anySteps: fc.Arbitrary<StepTerms | null> = fc.option(
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

const someTerms: fc.Arbitrary<Terms> = fc.record(
  {
    max: fc.integer({ min: 0, max: 6 }),
    onExhausted: fc.constantFrom<OnBudgetExhausted[]>("ask", "ask", "stop", "synthesize"),
    headless: anyHeadless,
    reserve: fc.constantFrom(0, 0, 1, 3),
    unpriced: fc.constantFrom<Unpriced[]>("warn", "warn", "warn", "stop", "tokens"),
  },
  { noNullPrototype: true },
);

const anyTerms: fc.Arbitrary<Terms | null> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: someTerms },
);

/** What a session can be set up with. */
export const anySettings: fc.Arbitrary<Settings> = fc.record({
  hasUi: fc.boolean(),
  max: anyMax,
  steps: anySteps,
  grace: anyGrace,
  headless: anyHeadless,
  terms: fc.record({ tokens: anyTerms, cost: anyTerms, time: anyTerms, "tools.read": anyTerms }),
  audited: fc.boolean(),
});

const anyUsage: fc.Arbitrary<Usage> = fc.record(
  {
    input: fc.integer({ min: 0, max: 2 }),
    output: fc.integer({ min: 0, max: 1 }),
    cost: fc.integer({ min: 0, max: 2 }),
  },
  { noNullPrototype: true, requiredKeys: ["input", "output"] },
);

const maybeUsage = fc.option(anyUsage, { nil: undefined });

const anyReply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 4 }).map((more) => ({ more })) },
  { weight: 1, arbitrary: fc.constant("unlimited" as const) },
  { weight: 2, arbitrary: fc.constant("wrap-up" as const) },
);

const anyTools = fc.array(fc.constantFrom("read", "read", "write", undefined), {
  minLength: 1,
  maxLength: 4,
});

/** Everything that can happen to a governor, in any order, sensible or not; a working agent more often. */
export const anyCommands: fc.Arbitrary<Command>[] = [
  ...often(4, always("person prompts", prompt)),
  ...often(
    6,
    anyReply.map((reply) => command(`turn, or ${JSON.stringify(reply)} if asked`, turnOr(answer(reply)))),
  ),
  ...often(
    5,
    taking("turn that is answered", (usage) => turnThen("TurnAnswered", usage)),
  ),
  ...often(
    2,
    taking("turn that fails", (usage) => turnThen("TurnFailed", usage)),
  ),
  ...often(
    2,
    fc
      .tuple(anyUsage, anyReply)
      .map(([usage, reply]) =>
        command(`retry, or ${JSON.stringify(reply)} if asked`, retryOr(usage, answer(reply))),
      ),
  ),
  ...often(3, always("turn that is still in flight", turn)),
  taking("turn that is aborted", (usage) => turnThen("TurnAborted", usage)),
  ...often(
    3,
    anyReply.map((reply) => command(JSON.stringify(reply), answer(reply))),
  ),
  taking("turn ended", (usage) => end("TurnAnswered", usage)),
  taking("turn failed", (usage) => end("TurnFailed", usage)),
  taking("turn aborted", (usage) => end("TurnAborted", usage)),
  ...often(2, always("answer discarded", end("TurnDiscarded"))),
  anyUsage.map((usage) => command(`compaction ${JSON.stringify(usage)}`, spend("compaction", usage))),
  anyUsage.map((usage) => command(`nested ${JSON.stringify(usage)}`, spend("nested", usage))),
  always("price unknown", priceUnknown),
  ...often(
    3,
    anyTools.map((tools) => command(`calls of ${tools}`, steps(tools))),
  ),
  ...often(
    3,
    fc.integer({ min: -1, max: 4 }).map((passed) => command(`${passed} ms`, timePasses(passed))),
  ),
  fc.boolean().map((waiting) => command(waiting ? "waiting" : "waiting no more", wait(waiting))),
  ...often(
    2,
    fc.boolean().map((canGoOn) => command(`time is up? ${canGoOn}`, checkTime(canGoOn))),
  ),
  ...often(
    3,
    anyReply.map((reply) =>
      command(`6 ms, and ${JSON.stringify(reply)} if asked`, timeIsUpThen(answer(reply))),
    ),
  ),
  ...often(
    2,
    anyTerms.map((terms) =>
      command(`6 ms, and time ${JSON.stringify(terms)} if asked`, timeIsUpThen(changeBudget("time", terms))),
    ),
  ),
  ...often(2, always("turn of 6 ms", turnWith(timePasses(6), checkTime(true)))),
  ...often(2, always("turn with calls", turnWith(steps(["read", "read", "read"])))),
  ...often(2, always("no, and a program calls", noThenProgram(steps(["read", "read"])))),
  ...often(2, always("no, and a program takes time", noThenProgram(checkTime(true)))),
  ...often(2, always("no, and a program takes a turn", noThenProgram(turnThen("TurnAnswered")))),
  ...often(2, always("another turn comes", poll)),
  ...often(2, always("wrap up!", requestWrapUp)),
  ...often(
    2,
    anyMax.map((max) => command(`limit ${max}`, changeLimit(max))),
  ),
  anySteps.map((terms) => command(`steps ${JSON.stringify(terms)}`, changeSteps(terms))),
  ...often(
    2,
    fc
      .tuple(fc.constantFrom(...BUDGET_NAMES), anyTerms)
      .map(([name, terms]) => command(`${name} ${JSON.stringify(terms)}`, changeBudget(name, terms))),
  ),
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
  always("request nobody admitted", (world, subject) => {
    if (world.audited) sent(world, subject);
  }),
  always("call nobody admitted", (world, subject) => {
    if (world.audited) executed(world, subject);
  }),
  ...often(3, always("settled", settle)),
  always("saved and restored", (_world, subject) => subject.saveAndRestore()),
];

function always(name: string, act: Action): fc.Arbitrary<Command> {
  return fc.constant(command(name, act));
}

/** Something that takes an amount, or nobody says how much. */
function taking(name: string, act: (usage: Usage | undefined) => Action): fc.Arbitrary<Command> {
  return maybeUsage.map((usage) => command(`${name} ${JSON.stringify(usage) ?? ""}`, act(usage)));
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
