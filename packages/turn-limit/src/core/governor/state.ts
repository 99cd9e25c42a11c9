import { isPlainObject } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { fingerprint } from "../limits/fingerprint.ts";
import type { MeterState, Reading } from "../meter/meter.ts";
import type { AuditState } from "./audit.ts";
import type { BudgetState } from "./budget.ts";
import type { SavedRunState } from "./run-state.ts";
import { type CompleteSettings, requireSettings } from "./settings.ts";
import type { TellingState } from "./telling.ts";

const VERSION = 8;

/** Everything a governor knows, as plain data that survives `JSON.stringify`. Checked when it is given back. */
export interface GovernorState {
  /** The version of its form. */
  version: number;
  /** Tells whether anything was changed since it was saved. */
  checksum: string;
  /** The limits that held, by their kinds, without functions. */
  settings: Record<string, unknown>;
  meter: MeterState;
  /** Earlier readings of the meter; other fields refer to them by index. */
  readings: Reading[];
  /** Which of them was made when the run began. The first was made at the last prompt. */
  openedAt: number;
  budgets: BudgetState[];
  run: SavedRunState;
  /** What was really sent and executed, as far as the host says. */
  audit: AuditState;
  /** What the model was told of what it has left. */
  told: TellingState;
  /** Has a person said no since the last prompt? */
  declined: boolean;
  /** How often a budget started over. */
  restarts: number;
}

/** Completes a state. What is returned shares nothing with what it was made from. */
export function sealed(state: Omit<GovernorState, "version" | "checksum">): GovernorState {
  const plain = JSON.parse(JSON.stringify({ version: VERSION, ...state }));
  return { ...plain, checksum: fingerprint(plain) };
}

/** Checks that {@link sealed} made the state. A field that is missing or was changed must not lift a limit. */
export function requireSealed(state: unknown): GovernorState {
  if (!isPlainObject(state)) throw new InvalidLimit("state", state, "the state of a governor");
  const { checksum, ...plain } = state;
  if (plain.version !== VERSION) throw new InvalidLimit("state.version", plain.version, String(VERSION));
  const expected = fingerprint(plain);
  if (expected === undefined || checksum !== expected)
    throw new InvalidLimit("state.checksum", checksum, `${expected}: the state was changed or damaged`);
  // A copy that shares nothing with the caller.
  return JSON.parse(JSON.stringify(plain));
}

/** The limits are the state's. Functions, texts and custom limits have to be given again. */
export function restoredSettings(given: CompleteSettings, { settings }: GovernorState): CompleteSettings {
  const { wrapUp } = given.turns;
  const { limits, tell, synthesisMessage, finalTool, sameCall, canAsk } = given;
  const turns = { ...(settings.turns as object), wrapUp };
  const again = { limits, tell, synthesisMessage, finalTool, sameCall, canAsk };
  return requireSettings({ ...settings, turns, ...again });
}
