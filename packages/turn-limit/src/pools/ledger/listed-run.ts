import type { Boundary } from "../../core/limits/boundary.ts";
import type { PoolQuestion } from "./pool-state.ts";
import { isHeld } from "./resumption.ts";
import type { PoolRecord } from "./store.ts";

/** What a run says of itself to whoever looks from elsewhere. Prompts and answers are no part of it. */
export interface ListedRun {
  /** Which agent it is, such as `Pi` or `Claude Code`. */
  agent: string;
  /** The folder that it works in, and the machine. */
  folder?: string;
  host?: string;
  pid?: number;
  /** The model of its last answer. */
  model?: string;
  /**
   * - `working`: turns are under way, or tool calls
   * - `asking`: it waits for the answer to a question
   * - `waiting`: it waits for a person for another reason
   * - `idle`: it has ended, and the next prompt begins another one
   * - `parked`: nobody answered its question in time; it goes on when it is resumed
   */
  state: "working" | "asking" | "waiting" | "idle" | "parked";
  /** When the run began, and when it last did something that counts, in the store's time. */
  since: number;
  active: number;
  /** Its limits, and what is used of each. Cost is in US dollars, time in milliseconds. */
  limits: readonly Boundary[];
  /** What it used in all, by measure: also of what has no limit. */
  used: Readonly<Record<string, number>>;
  /** How to go on, if it is parked. */
  parked?: ParkedRun;
}

/** What is needed to go on with a run that is parked. */
export interface ParkedRun {
  /** The id of its question in this record. */
  question: string;
  /** The agent's own session. */
  session: string;
  /** How the agent is started, and those of its arguments that hold for the whole session: no prompt is among them. */
  program: readonly string[];
  args: readonly string[];
  /** Does it work without a terminal? */
  isHeadless: boolean;
  /** The limits of the run, as they were typed. None: the agent holds itself to them, as Pi does with its extension. */
  options: readonly string[];
  /** What its governor knew when it asked, as JSON. */
  state: string;
}

const PREFIX = "run@";

/** The name of the record of a run. No pool has such a name. */
export function runRecord(id: string): string {
  return `${PREFIX}${id}`;
}

/** Is it the record of a run, and not of a pool? */
export function isRunRecord(record: string): boolean {
  return record.startsWith(PREFIX);
}

/** The id of a run, by its record. */
export function runIdOf(record: string): string {
  return record.slice(PREFIX.length);
}

/** The end of the names of runs in an order of texts: the first name that cannot be one. */
export const RUN_NAMES = { from: PREFIX, to: "runA" } as const;

/** A run as its record tells it. */
export interface SeenRun extends ListedRun {
  id: string;
  name: string;
  /** Since when it is frozen, and when it was last told to stop. */
  frozen: PoolRecord["state"]["frozen"];
  stopped: PoolRecord["state"]["stopped"];
  /** What waits for an answer. */
  questions: PoolQuestion[];
  /** The store's time. */
  now: number;
}

/** The run of a record. `undefined`: it is gone, it was parked and goes on in another record, or the record is a pool's. */
export function seenRun({ pool, members, state, now }: PoolRecord): SeenRun | undefined {
  const member = isRunRecord(pool) ? members.find(({ isPresent }) => isPresent) : undefined;
  // One that goes on is listed by itself.
  if (!member?.run || isHeld(state, now)) return undefined;
  const { frozen, stopped } = state;
  return {
    ...member.run,
    id: runIdOf(pool),
    name: member.name,
    frozen,
    stopped,
    questions: Object.values(state.questions).filter((question) => isOpen(question, now)),
    now,
  };
}

/** Does a question wait for an answer? */
export function isOpen({ reply, until }: PoolQuestion, now: number): boolean {
  return reply === undefined && (until === undefined || now < until);
}
