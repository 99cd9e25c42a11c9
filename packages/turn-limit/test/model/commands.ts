import fc from "fast-check";
import type { Headless, Max, OnExhausted, Reply, Unpriced, Usage } from "../../src/index.ts";
import * as act from "./actions.ts";
import { check } from "./invariants.ts";
import { NAMES, type Name, type Terms } from "./limits.ts";
import type { Subject } from "./subject.ts";
import type { Settings, World } from "./world.ts";

type Command = fc.Command<World, Subject>;

const upTo = (max: number, min = 0) => fc.integer({ min, max });

const HEADLESS: Exclude<Headless, "wait">[] = ["stop", "raise", "synthesize"];
const POLICIES: Exclude<OnExhausted, "wait">[] = ["ask", "ask", "ask", ...HEADLESS];

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
  cost: termsOf(upTo(9), ["reserve", "unpriced"]),
  time: termsOf(upTo(6), ["reserve"]),
  "tools.read": termsOf(upTo(3), [], true),
  repeats: termsOf(upTo(3, 1), [], true),
  own: termsOf(upTo(5), ["reserve", "before"]),
  "output or writes": termsOf(upTo(3), ["writes"]),
  "output and writes": termsOf(upTo(3), ["writes"]),
};

function maybe(name: Name): fc.Arbitrary<Terms | null> {
  if (name === "turns") return TERMS.turns;
  const weight = name === "time" ? 1 : 2;
  return fc.oneof({ weight, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: TERMS[name] });
}

const anyTell = fc.constantFrom<Settings["tell"]>(null, [50], [50, 100], [30, 60, 90], "every turn");

/** What a session can be set up with. */
export const anySettings: fc.Arbitrary<Settings> = fc.record({
  canAsk: fc.constantFrom(true, true, false),
  grace: upTo(4),
  tell: anyTell,
  limits: fc.tuple(...NAMES.map(maybe)).map((all) => {
    return Object.fromEntries(NAMES.map((name, index) => [name, all[index]])) as Settings["limits"];
  }),
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
const anyQuestion = fc.constantFrom(undefined, 0, 0, 1, 2, 3);
const either = fc.boolean();

const ifAsked = (reply: Reply) => act.ifAsked(act.answer(reply, 0));
const timeIsUp = act.all(act.timePasses(6), act.checkTime());

/** Everything that can happen to a governor, in any order, sensible or not; a working agent more often. */
export const anyCommands: fc.Arbitrary<Command>[] = [
  ...always(3, "prompt", act.prompt),
  ...often(8, "turn, or if asked", anyReply, (reply) => [act.promptIfOver, act.turn(), ifAsked(reply)]),
  ...often(6, "turn that is answered", maybeUsage, (usage) => act.turnThen("answered", usage)),
  ...often(3, "turn that ends", fc.tuple(anyEnding, maybeUsage), (given) => act.turnThen(...given)),
  ...often(2, "retry, or if asked", fc.tuple(anyUsage, anyReply), ([usage, reply]) => {
    return [act.turnThen("failed", usage), act.promptIfOver, act.turn(), ifAsked(reply)];
  }),
  ...often(3, "turn in flight", fc.constantFrom(undefined, undefined, false as const), act.turn),
  ...often(3, "reply", fc.tuple(anyReply, anyQuestion), (given) => act.answer(...given)),
  ...often(2, "three wait for one reply", fc.tuple(anyReply, anyReply), ([reply, other]) => {
    return [act.turn(), act.turn(), act.turn(), ifAsked(reply), act.answer(other, 1), act.answer(reply, 2)];
  }),
  ...often(3, "turn ended", fc.tuple(anyEnding, maybeUsage), (given) => act.turnEnded(...given)),
  ...always(2, "answer discarded", act.discard),
  ...always(2, "turn abandoned", act.abandon),
  ...often(2, "turn that is abandoned", anyReply, (reply) => {
    return [act.promptIfOver, act.turn(), ifAsked(reply), act.abandon];
  }),
  ...often(2, "spent", fc.tuple(anyActivity, anyUsage), (given) => act.spend(...given)),
  ...often(4, "calls", fc.tuple(anyCalls, anyResults), (given) => act.calls(...given)),
  ...often(3, "turn with calls", fc.tuple(anyCalls, anyResults), (given) => {
    return [act.turn(), act.calls(...given), act.turnEnded("answered")];
  }),
  ...often(3, "turns with the same call", fc.tuple(upTo(4, 1), anyReply), ([times, reply]) => {
    const sameAgain = [act.turnThen("answered"), ifAsked(reply), act.calls([["read", 0]], "each")];
    return Array<act.Action[]>(times).fill(sameAgain).flat();
  }),
  ...often(3, "the same calls around failures", anyCalls, (made) => {
    const again = act.calls(made, "each");
    const told = [act.turn(), again, again, act.turnThen("failed"), act.turnThen("answered")];
    return [...told, act.turnThen("failed"), again, act.turnThen("failed"), again];
  }),
  ...often(1, "a result", fc.constantFrom("same", "other"), (text) => act.result(undefined, text)),
  ...often(3, "ms pass", upTo(4, -1), act.timePasses),
  ...often(1, "waiting", either, act.wait),
  ...often(2, "time is up?", either, act.checkTime),
  ...often(4, "6 ms, and if asked", anyReply, (reply) => [act.promptIfOver, timeIsUp, ifAsked(reply)]),
  ...often(2, "6 ms, and time if asked", maybe("time"), (time) => {
    return [act.promptIfOver, timeIsUp, act.ifAsked(act.limit({ time }))];
  }),
  ...often(2, "6 ms in a turn", either, (canGoOn) => [act.turn(), act.timePasses(6), act.checkTime(canGoOn)]),
  ...often(4, "no, and a program goes on", anyCalls, (made) => {
    const no = [act.promptIfOver, act.turn(), timeIsUp, act.turn(), ifAsked(false), act.settle];
    return [...no, act.calls(made, "each"), act.checkTime(), act.turn()];
  }),
  ...often(4, "asked, while more is spent", fc.tuple(anyUsage, anyReply), ([usage, reply]) => {
    const spent = [act.spend("nested", usage), act.spend("nested", usage), act.spend("compaction", usage)];
    return [act.promptIfOver, act.turn(), timeIsUp, act.turn(), ...spent, ifAsked(reply), act.turn()];
  }),
  ...often(4, "calls for 6 ms after the last", fc.tuple(anyCalls, either), ([made, canGoOn]) => {
    const outOfCalls = [act.promptIfOver, act.turn(), act.calls([...made, ...made], "none")];
    return [...outOfCalls, act.timePasses(6), act.checkTime(canGoOn), act.checkTime(!canGoOn)];
  }),
  ...often(3, "out of calls, and settled", anyCalls, (made) => {
    return [act.promptIfOver, act.turnThen("answered"), act.calls([...made, ...made], "each"), act.settle];
  }),
  ...always(2, "another turn comes", act.poll),
  ...always(2, "wrap up!", act.requestWrapUp),
  ...often(5, "limit", anyLimit, act.limit),
  ...often(1, "settings", anySettings, act.configure),
  ...often(1, "grace", upTo(4), (grace) => act.configure({ grace })),
  ...often(1, "tell", anyTell, (tell) => act.configure({ tell })),
  ...often(1, "can ask", either, (canAsk) => act.configure({ canAsk })),
  ...always(2, "the same settings", act.configureTheSame),
  ...often(1, "dynamic grace", fc.constantFrom(undefined, -1, 0, 1, 2, 3, 9), act.offerGrace),
  ...often(1, "bad", fc.constantFrom(-1, Number.NaN, Infinity), act.refuse),
  ...always(1, "reset", act.reset),
  ...often(1, "reset in a turn", fc.tuple(anyEnding, anyEnding), ([ending, then]) => {
    const ended = [act.turn(), act.reset, act.turnEnded(ending), act.discard, act.turnEnded(then)];
    return [...ended, act.turn(), act.poll, act.turnEnded("answered"), act.poll];
  }),
  ...often(1, "not admitted", fc.constantFrom("turns" as const, "steps" as const), act.overdo),
  ...always(3, "settled", act.settle),
  ...often(2, "saved and restored", fc.constantFrom(undefined, undefined, true, false), act.saveAndRestore),
];

type Script = act.Action | act.Action[];

function often<T>(times: number, name: string, given: fc.Arbitrary<T>, actOn: (given: T) => Script) {
  const commands = given.map((value) =>
    command(`${name} ${JSON.stringify(value) ?? ""}`, [actOn(value)].flat()),
  );
  return Array<fc.Arbitrary<Command>>(times).fill(commands);
}

function always(times: number, name: string, action: act.Action) {
  return often(times, name, fc.constant(undefined), () => action);
}

function command(name: string, actions: act.Action[]): Command {
  return {
    check: () => true,
    run: (world, subject) => {
      act.all(...actions)(world, subject);
      check(world, subject);
    },
    toString: () => name,
  };
}
