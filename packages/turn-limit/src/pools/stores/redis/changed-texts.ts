import { of } from "../../ledger/amounts.ts";
import {
  type Change,
  type ChangedRecord,
  changedHead,
  changedState,
  isHeadChange,
} from "../../ledger/pool-changes.ts";
import {
  EMPTY_HEAD,
  EMPTY_STATE,
  type PoolHead,
  type PoolState,
  type RecordState,
  seenState,
} from "../../ledger/pool-state.ts";
import { toList } from "./wire.ts";

/** The head and the state of a pool, and what members see of them. */
export interface FoundState {
  head: PoolHead;
  own: RecordState;
  state: PoolState;
  /** What of it decides requests, as scripts find it. */
  rules: { limits: string; extra: string };
}

/**
 * What a change writes: the new text, and what of it decides requests. `text`: left out if nothing changes. `until`: from then
 * on it has to be decided anew.
 */
export interface Written {
  made: boolean;
  text?: string;
  until?: number;
  rules: [string, string];
  isReset: boolean;
}

export function changeOf(
  { head, own }: FoundState,
  change: Change,
  now: number,
  known: ChangedRecord,
): Written {
  if (isHeadChange(change)) {
    const { made, after } = changedHead(head, change, now);
    const rules: Written["rules"] = [limitsText(after), String(after.frozen?.at ?? "")];
    return { made, rules, isReset: false, ...(after !== head && { text: JSON.stringify(after) }) };
  }
  const { made, after } = changedState(own, change, now, known);
  const extra = extraText(after);
  const text = after !== own && { text: JSON.stringify(after) };
  const until = change.kind === "answer" ? of(own.questions, change.question)?.until : undefined;
  const isReset = change.kind === "reset";
  return { made, rules: [extra, ""], isReset, ...text, ...(until !== undefined && { until }) };
}

// The state changes seldom, and comes with every answer.
export function stateReader(): (head: string, own: string) => FoundState {
  let last = { head: "", own: "", found: foundState("", "") };
  return (head, own) => {
    if (head !== last.head || own !== last.own) last = { head, own, found: foundState(head, own) };
    return last.found;
  };
}

function foundState(headText: string, ownText: string): FoundState {
  const head = headText === "" ? EMPTY_HEAD : (JSON.parse(headText) as PoolHead);
  const own = ownText === "" ? EMPTY_STATE : (JSON.parse(ownText) as RecordState);
  const rules = { limits: headText === "" ? "" : limitsText(head), extra: extraText(own) };
  return { head, own, state: seenState(head, own), rules };
}

function limitsText({ limits }: PoolHead): string {
  return JSON.stringify(toList(limits));
}

function extraText({ extra }: RecordState): string {
  return Object.keys(extra).length > 0 ? JSON.stringify(toList(extra)) : "";
}
