import { of } from "./amounts.ts";
import type { RecordState } from "./pool-state.ts";

/** A process, so that others on its machine can tell whether it still runs: a number alone is given to another one later. */
export interface ProcessMark {
  pid: number;
  /** Where the number holds, and when the process was started, where the system says it. */
  space?: string;
  started?: string;
}

/** A process that goes on with a parked run. */
export interface Holder {
  id: string;
  /** Until when it holds the run, in the store's time, unless it says again that it does. */
  until: number;
  process?: ProcessMark;
}

/** What a run that goes on knew before its last request. */
export interface SavedRun {
  /** The state of its governor, as JSON. */
  state: string;
  /** Was the reply used with which it goes on? */
  isReplyUsed: boolean;
}

/** Who goes on with a parked run, and how far that got. */
export interface Resumption {
  /** The question with which it was parked. */
  question: string;
  /** Left out: nobody goes on with it now. */
  holder?: Holder;
  /** Left out: nothing was sent since it was parked. */
  saved?: SavedRun;
}

/** What is done to the record of a parked run by whoever goes on with it. `within`: for how many milliseconds it is held. */
export type ResumptionChange =
  | { kind: "resume"; question: string; holder: Omit<Holder, "until">; within: number }
  | { kind: "hold"; holder: string; within: number; process?: ProcessMark; saved?: SavedRun }
  /** `isOver`: it was parked anew, with another question. */
  | { kind: "let-go"; holder: string; isOver?: boolean };

/** Is somebody going on with the run at this time? Nobody can answer its question meanwhile. */
export function isHeld({ resumption }: Pick<RecordState, "resumption">, now: number): boolean {
  return resumption?.holder !== undefined && now < resumption.holder.until;
}

/** The state of a record after such a change: the same object if the change is not made. */
export function resumed(state: RecordState, change: ResumptionChange, now: number): RecordState {
  const { resumption } = state;
  if (change.kind === "resume") {
    const { question, holder, within } = change;
    if (resumption?.holder || !isOfParking(state, question)) return state;
    const saved = resumption?.question === question ? resumption.saved : undefined;
    const held = { ...holder, until: now + within };
    return { ...state, resumption: { question, holder: held, ...(saved && { saved }) } };
  }
  if (!resumption?.holder || resumption.holder.id !== change.holder) return state;
  if (change.kind === "hold") {
    const { within, process, saved } = change;
    const holder = { ...resumption.holder, until: now + within, ...(process && { process }) };
    return { ...state, resumption: { ...resumption, holder, ...(saved && { saved }) } };
  }
  const { holder: _, ...kept } = resumption;
  const { resumption: __, ...rest } = state;
  if (!change.isOver) return kept.saved ? { ...state, resumption: kept } : rest;
  const { [resumption.question]: ___, ...questions } = state.questions;
  return { ...rest, questions };
}

// A run that was parked anew since has another question. One whose process ended while it parked the run has none.
function isOfParking({ questions, resumption }: RecordState, question: string): boolean {
  const isAsked = of(questions, question) !== undefined || resumption?.question === question;
  return isAsked || Object.keys(questions).length === 0;
}
