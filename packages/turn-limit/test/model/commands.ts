import fc from "fast-check";
import type { Headless, Max, OnExhausted, Reply, Unpriced, Usage } from "../../src/index.ts";
import * as act from "./actions.ts";
import { check } from "./invariants.ts";
import { NAMES, type Name, type Terms } from "./limits.ts";
import type { Subject } from "./subject.ts";
import type { Settings, World } from "./world.ts";

type Command = fc.Command<World, Subject>;

const upTo = (max: number, min = 0) => fc.integer({ min, max });

const HEADLESS: Headless[] = ["stop", "raise", "synthesize"];
const POLICIES: OnExhausted[] = ["ask", "ask", "ask", ...HEADLESS];

/** What a person can say about a limit: small maxima, so that they are reached often. */
function termsOf(max: fc.Arbitrary<Max>, options: (keyof Terms)[] = [], isOfCalls = false) {
  const refuse: "refuse"[] = isOfCalls ? ["refuse"] : [];
  const any = fc.record<Terms>({
    max,
    onExhausted: fc.constantFrom(...POLICIES, ...refuse),
    headless: fc.constantFrom(...HEADLESS, ...refuse),
    reserve: fc.constantFrom(0, 0, 1, 3),
    unpriced: fc.constantFrom<Unpriced[]>("warn", "warn", "warn", "stop", "tokens"),
    cacheReads: fc.boolean(),
    before: fc.constantFrom("turn", "step"),
    writes: upTo(3),
  });
  // What a limit does not have stays as it is.
  const fixed: Partial<Terms> = {
    reserve: 0,
    unpriced: "warn",
    cacheReads: false,
    before: "turn",
    writes: 0,
  };
  for (const option of options) delete fixed[option];
  return any.map((terms): Terms => ({ ...terms, ...fixed }));
}

const TERMS: Record<Name, fc.Arbitrary<Terms>> = {
  steps: termsOf(upTo(6, 1), [], true),
  turns: termsOf(fc.oneof({ weight: 3, arbitrary: upTo(5) }, fc.constant<Max>("unlimited"))),
  tokens: termsOf(upTo(6), ["reserve", "cacheReads"]),
  cost: termsOf(upTo(6), ["reserve", "unpriced"]),
  time: termsOf(upTo(6), ["reserve"]),
  "tools.read": termsOf(upTo(3), [], true),
  repeats: termsOf(upTo(3, 1), [], true),
  own: termsOf(upTo(5), ["reserve", "before"]),
  "output or writes": termsOf(upTo(3), ["writes"]),
  "output and writes": termsOf(upTo(3), ["writes"]),
};

function maybe(name: Name): fc.Arbitrary<Terms | null> {
  if (name === "turns") return TERMS.turns;
  return fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: TERMS[name] });
}

/** What a session can be set up with. */
export const anySettings: fc.Arbitrary<Settings> = fc.record({
  canAsk: fc.constantFrom(true, true, false),
  grace: upTo(4),
  limits: fc.record(
    Object.fromEntries(NAMES.map((name) => [name, maybe(name)])) as Record<Name, fc.Arbitrary<Terms | null>>,
  ),
});

const anyLimit = fc.oneof(
  ...NAMES.map((name) => maybe(name).map((terms): Partial<Settings["limits"]> => ({ [name]: terms }))),
);

const anyUsage: fc.Arbitrary<Usage> = fc
  .record({ input: upTo(2), output: upTo(1), cacheRead: upTo(1), dimes: fc.option(upTo(3), { freq: 3 }) })
  .map(({ dimes, ...tokens }) => (dimes === null ? tokens : { ...tokens, cost: dimes / 10 }));
const maybeUsage = fc.option(anyUsage, { nil: undefined });

const anyReply: fc.Arbitrary<Reply> = fc.oneof(
  fc.constantFrom<Reply[]>(true, true, true, false, "unlimited", "wrap-up", "wrap-up"),
  upTo(4, 1).map((more) => ({ more })),
);

const anyTool = fc.constantFrom("read", "read", "write", "other");
const anyCalls = fc.array(fc.tuple(anyTool, upTo(1)), { minLength: 1, maxLength: 4 });
const anyResults = fc.constantFrom("each" as const, "each" as const, "nested" as const, "none" as const);
const anyEnding = fc.constantFrom("answered" as const, "failed" as const, "aborted" as const);
const anyActivity = fc.constantFrom("compaction" as const, "nested" as const);
const either = fc.boolean();

const ifAsked = (reply: Reply) => act.ifAsked(act.answer(reply, 0));
const timeIsUp = act.all(act.timePasses(6), act.checkTime());

/** Everything that can happen to a governor, in any order, sensible or not; a working agent more often. */
export const anyCommands: fc.Arbitrary<Command>[] = [
  ...always(3, "prompt", act.prompt),
  ...often(8, "turn, or if asked", anyReply, (reply) =>
    act.all(act.promptIfOver, act.turn(), ifAsked(reply)),
  ),
  ...often(6, "turn that is answered", maybeUsage, (usage) => act.turnThen("answered", usage)),
  ...often(2, "turn that fails", maybeUsage, (usage) => act.turnThen("failed", usage)),
  ...often(1, "turn that is aborted", maybeUsage, (usage) => act.turnThen("aborted", usage)),
  ...often(2, "retry, or if asked", fc.tuple(anyUsage, anyReply), ([usage, reply]) =>
    act.all(act.turnThen("failed", usage), act.promptIfOver, act.turn(), ifAsked(reply)),
  ),
  ...often(3, "turn in flight", fc.constantFrom(undefined, undefined, false as const), act.turn),
  ...often(3, "reply", fc.tuple(anyReply, fc.constantFrom(undefined, 0, 0, 1, 2, 3)), (given) =>
    act.answer(...given),
  ),
  ...often(2, "three wait for one reply", fc.tuple(anyReply, anyReply), ([reply, other]) =>
    act.all(act.turn(), act.turn(), act.turn(), ifAsked(reply), act.answer(other, 1), act.answer(reply, 2)),
  ),
  ...often(3, "turn ended", fc.tuple(anyEnding, maybeUsage), (given) => act.turnEnded(...given)),
  ...always(2, "answer discarded", act.discard),
  ...often(2, "spent", fc.tuple(anyActivity, anyUsage), (given) => act.spend(...given)),
  ...often(4, "calls", fc.tuple(anyCalls, anyResults), (given) => act.calls(...given)),
  ...often(3, "turn with calls", fc.tuple(anyCalls, anyResults), (given) =>
    act.all(act.turn(), act.calls(...given), act.turnEnded("answered")),
  ),
  ...often(3, "turns with the same call", fc.tuple(upTo(4, 1), anyReply), ([times, reply]) => {
    const sameAgain = act.all(act.turnThen("answered"), ifAsked(reply), act.calls([["read", 0]], "each"));
    return act.all(...Array(times).fill(sameAgain));
  }),
  ...often(1, "a result", fc.constantFrom("same", "other"), (text) => act.result(undefined, text)),
  ...often(3, "ms pass", upTo(4, -1), act.timePasses),
  ...often(1, "waiting", either, act.wait),
  ...often(2, "time is up?", either, act.checkTime),
  ...often(4, "6 ms, and if asked", anyReply, (reply) => act.all(act.promptIfOver, timeIsUp, ifAsked(reply))),
  ...often(2, "6 ms, and time if asked", maybe("time"), (time) =>
    act.all(act.promptIfOver, timeIsUp, act.ifAsked(act.limit({ time }))),
  ),
  ...often(2, "6 ms in a turn", either, (canGoOn) =>
    act.all(act.turn(), act.timePasses(6), act.checkTime(canGoOn)),
  ),
  ...often(4, "no, and a program goes on", anyCalls, (made) => {
    const no = act.all(act.promptIfOver, act.turn(), timeIsUp, act.turn(), ifAsked(false), act.settle);
    return act.all(no, act.calls(made, "each"), act.checkTime(), act.turn());
  }),
  ...often(2, "asked, while more is spent", anyUsage, (usage) =>
    act.all(timeIsUp, act.turn(), act.spend("nested", usage), act.spend("nested", usage), act.turn()),
  ),
  ...often(3, "a reply after more was spent", fc.tuple(anyUsage, anyReply), ([usage, reply]) => {
    const spent = act.all(act.spend("nested", usage), act.spend("nested", usage), act.spend("nested", usage));
    return act.all(act.promptIfOver, act.turn(), act.turn(), spent, ifAsked(reply));
  }),
  ...often(
    3,
    "calls for 6 ms after the last",
    fc.tuple(anyCalls, anyCalls, either),
    ([made, more, canGoOn]) => {
      const outOfCalls = act.all(act.promptIfOver, act.turn(), act.calls([...made, ...more], "none"));
      return act.all(outOfCalls, act.timePasses(6), act.checkTime(canGoOn), act.checkTime(!canGoOn));
    },
  ),
  ...often(3, "out of calls, and settled", anyCalls, (made) =>
    act.all(act.promptIfOver, act.turnThen("answered"), act.calls([...made, ...made], "each"), act.settle),
  ),
  ...always(2, "another turn comes", act.poll),
  ...always(2, "wrap up!", act.requestWrapUp),
  ...often(5, "limit", anyLimit, act.limit),
  ...often(1, "settings", anySettings, act.configure),
  ...often(1, "grace", upTo(4), (grace) => act.configure({ grace })),
  ...often(1, "can ask", either, (canAsk) => act.configure({ canAsk })),
  ...always(2, "the same settings", act.configureTheSame),
  ...often(1, "dynamic grace", fc.constantFrom(undefined, -1, 0, 1, 2, 3, 9), act.offerGrace),
  ...often(1, "bad", fc.constantFrom(-1, Number.NaN, Infinity), act.refuse),
  ...always(1, "reset", act.reset),
  ...often(1, "not admitted", fc.constantFrom("turns" as const, "steps" as const), (what) =>
    act.done(what, true),
  ),
  ...always(3, "settled", act.settle),
  ...often(2, "saved and restored", fc.constantFrom(undefined, undefined, true, false), act.saveAndRestore),
];

function often<T>(times: number, name: string, given: fc.Arbitrary<T>, actOn: (given: T) => act.Action) {
  const commands = given.map((value) => command(`${name} ${JSON.stringify(value) ?? ""}`, actOn(value)));
  return Array<fc.Arbitrary<Command>>(times).fill(commands);
}

function always(times: number, name: string, action: act.Action) {
  return often(times, name, fc.constant(undefined), () => action);
}

function command(name: string, action: act.Action): Command {
  return {
    check: () => true,
    run: (world, subject) => {
      act.all(action)(world, subject);
      check(world, subject);
    },
    toString: () => name,
  };
}
