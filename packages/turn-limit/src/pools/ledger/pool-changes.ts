import type { Reply } from "../../core/governor/decision.ts";
import type { ExtensionRound } from "../../core/governor/run-state.ts";
import type { Max } from "../../core/limits/boundary.ts";
import { type Amounts, of, sum } from "./amounts.ts";
import type { ByPerson } from "./grants.ts";
import type { Order, PoolHead, PoolQuestion, PoolState, RecordState } from "./pool-state.ts";
import { type Readings, withNewReadings } from "./readings.ts";
import { isHeld, type ResumptionChange, resumed } from "./resumption.ts";
import type { Maxima } from "./store.ts";
import { agreed, disagreement, type Terms } from "./terms.ts";

/**
 * Something that is changed for all members. `key` tells one change from another that looks the same. What a `person`
 * changes is kept as a grant.
 */
export type Change = HeadChange | RecordChange;

interface AnyChange {
  key: string;
  person?: ByPerson;
}

/** A change of what holds for a pool in every period. */
export type HeadChange = AnyChange &
  (
    | {
        /**
         * A member joins. Its terms must be those that are recorded; `otherwise` is recorded where neither says anything.
         * `namesAll`: a limit that is recorded and that its terms leave out is another term.
         */
        kind: "join";
        terms: Terms;
        otherwise: Terms;
        namesAll?: boolean;
      }
    | { kind: "terms"; terms: Terms }
    | { kind: "limits"; limits: Maxima }
    /** `where`: where it was frozen, if it is frozen again because the store lost that. */
    | { kind: "freeze"; why: string; where?: string }
    | { kind: "unfreeze" }
  );

/** A change of what holds for a record. */
export type RecordChange = AnyChange &
  (
    | {
        /**
         * Allows more. `beyondUsed`: what was settled over the maximum by then is allowed as well, so that the extension
         * is beyond it. `max`: that maximum, where it is not the one that is recorded.
         */
        kind: "extend";
        measure: string;
        by: Max;
        beyondUsed?: boolean;
        max?: Max;
      }
    | { kind: "end-extension"; measure: string }
    /** A run got somewhere, and began another round by itself. It changes nothing, and is kept with what persons decide. */
    | { kind: "round"; round: ExtensionRound }
    | { kind: "reset" }
    | { kind: "ask"; question: Omit<PoolQuestion, "asked" | "reply" | "replied" | "until">; within?: number }
    | { kind: "answer"; question: string; reply: Reply }
    | { kind: "withdraw"; question: string }
    | { kind: "mark"; mark: string }
    /** The newest readings take the place of earlier ones. What was allowed in a window that is over holds no longer. */
    | { kind: "readings"; readings: Readings }
    | { kind: "stop"; why: string }
    | ResumptionChange
  );

/** What came of a change. */
export interface Changed {
  /**
   * Was it made? `false`: there is no such question, it has been answered, the mark was there, the member that joins has
   * other terms than the pool, the run is gone whose record it is, or somebody else goes on with that run.
   */
  made: boolean;
  state: PoolState;
  now: number;
}

/** What a change makes of a head or of a state: the same object if nothing changes. */
export interface Result<T> {
  made: boolean;
  after: T;
}

const REMEMBERED = 20;

export function isHeadChange(change: Change): change is HeadChange {
  return ["join", "terms", "limits", "freeze", "unfreeze"].includes(change.kind);
}

/** The head of a pool after a change. */
export function changedHead(head: PoolHead, change: HeadChange, now: number): Result<PoolHead> {
  if (change.kind === "join") {
    const { terms, otherwise, namesAll } = change;
    if (disagreement(head, terms, namesAll)) return { made: false, after: head };
    return { made: true, after: agreed(agreed(head, terms), otherwise) };
  }
  if (head.done.includes(change.key)) return { made: true, after: head };
  const done = [...head.done, change.key].slice(-REMEMBERED);
  if (change.kind === "terms") {
    const limits = { ...head.limits, ...change.terms.limits };
    return { made: true, after: { ...head, ...change.terms, limits, done } };
  }
  if (change.kind === "limits") return { made: true, after: { ...head, limits: { ...change.limits }, done } };
  if (change.kind === "unfreeze") {
    const { frozen: _, ...thawed } = head;
    return { made: true, after: { ...thawed, unfrozen: now, done } };
  }
  return { made: true, after: { ...head, frozen: orderOf(change, now), done } };
}

/** What a store knows of the record that is changed. `isDone`: the change was made before. */
export interface ChangedRecord {
  settled: Amounts;
  limits: Maxima;
  isDone?: boolean;
}

/** The state of a record after a change. */
export function changedState(
  state: RecordState,
  change: RecordChange,
  now: number,
  { settled, limits, isDone = false }: ChangedRecord,
): Result<RecordState> {
  if (isDone || isMade(state, change)) return { made: true, after: state };
  const after =
    change.kind === "extend"
      ? extended(state, change, settled, limits)
      : change.kind === "answer"
        ? answered(state, change, now)
        : changed(state, change, now);
  if (after === state) return { made: false, after };
  if (change.kind === "extend") return { made: true, after };
  return { made: true, after: { ...after, done: [...state.done, change.key].slice(-REMEMBERED) } };
}

// Some show by themselves that they were made before, however many changes lie between.
function isMade({ done, questions }: RecordState, change: RecordChange): boolean {
  if (change.kind === "ask") return Object.hasOwn(questions, change.question.id);
  if (change.kind === "answer" && of(questions, change.question)?.replied?.key === change.key) return true;
  return done.includes(change.key);
}

function changed(
  state: RecordState,
  change: Exclude<RecordChange, { kind: "answer" | "extend" }>,
  now: number,
): RecordState {
  switch (change.kind) {
    case "end-extension":
      return { ...state, extra: without(state.extra, change.measure) };
    case "round":
      return { ...state };
    case "reset":
      return { ...state, extra: {}, resets: (state.resets ?? 0) + 1 };
    case "ask": {
      const { question, within } = change;
      const until = within === undefined ? {} : { until: now + within };
      const questions = {
        ...current(state.questions, now),
        [question.id]: { ...question, asked: now, ...until },
      };
      return { ...state, questions };
    }
    case "withdraw":
      return { ...state, questions: without(state.questions, change.question) };
    case "mark":
      return state.marks?.includes(change.mark)
        ? state
        : { ...state, marks: [...(state.marks ?? []), change.mark] };
    case "readings":
      return withNewReadings(state, change.readings, now);
    case "stop":
      return { ...state, stopped: orderOf(change, now) };
    case "resume":
    case "hold":
    case "let-go":
      return resumed(state, change, now);
  }
}

function orderOf(order: AnyChange & { why: string; where?: string }, at: number): Order {
  const { why, where = order.person?.where } = order;
  return { at, why, ...(where !== undefined && { where }) };
}

// An answer that was under way when the limit was reached can take any amount. Of several extensions the first covers that.
function extended(
  state: RecordState,
  { measure, by, beyondUsed, max }: RecordChange & { kind: "extend" },
  settled: Amounts,
  limits: Maxima,
): RecordState {
  const extra = of(state.extra, measure);
  const most = sum(max ?? of(limits, measure) ?? "unlimited", extra);
  const over = beyondUsed && most !== "unlimited" ? Math.max(0, (of(settled, measure) ?? 0) - most) : 0;
  return { ...state, extra: { ...state.extra, [measure]: sum(sum(extra, by), over) } };
}

// The first reply counts, if it comes in time.
function answered(
  state: RecordState,
  { key, question: id, reply, person }: RecordChange & { kind: "answer" },
  now: number,
): RecordState {
  const question = of(state.questions, id);
  const isOver = question?.until !== undefined && now >= question.until;
  if (!question || question.reply !== undefined || isOver || isHeld(state, now)) return state;
  const replied = { key, at: now, ...(person && { where: person.where }) };
  return { ...state, questions: { ...state.questions, [id]: { ...question, reply, replied } } };
}

function without<T>(from: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name !== key));
}

// Questions whose askers are gone have no end of their own. A day is long enough for any of them.
const LONGEST = 86_400_000;

function current(questions: RecordState["questions"], now: number): RecordState["questions"] {
  const isCurrent = ({ until, asked }: PoolQuestion) => now < (until ?? asked + LONGEST) + LONGEST;
  return Object.fromEntries(Object.entries(questions).filter(([, question]) => isCurrent(question)));
}
