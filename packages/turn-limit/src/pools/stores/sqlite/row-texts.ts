import { isPlainObject } from "../../../core/checks.ts";
import { type Amounts, amounts } from "../../ledger/amounts.ts";
import { EMPTY_HEAD, EMPTY_STATE, type PoolHead, type RecordState } from "../../ledger/pool-state.ts";
import type { MemberEntry } from "../../ledger/rules.ts";
import { damagedStore } from "./failures.ts";

/** Reads the texts in the rows of a store. Throws if the store is damaged. */
export class RowTexts {
  private readonly store: string;

  constructor(store: string) {
    this.store = store;
  }

  headOf(text: string): PoolHead {
    if (text === "") return EMPTY_HEAD;
    const head = this.object(text);
    const { limits, frozen, done } = head;
    if (!isPlainObject(limits) || !Array.isArray(done) || (frozen !== undefined && !isPlainObject(frozen)))
      throw damagedStore(this.store);
    return head as unknown as PoolHead;
  }

  ownOf(text: string): RecordState {
    if (text === "") return EMPTY_STATE;
    const { extra, questions, done, marks, readings, stopped, resumption, resets } = this.object(text);
    if (![extra, questions].every(isPlainObject) || !Array.isArray(done)) throw damagedStore(this.store);
    return {
      ...{ extra, questions, done },
      ...(Array.isArray(marks) && { marks }),
      ...(isPlainObject(readings) && { readings }),
      ...(isPlainObject(stopped) && { stopped }),
      ...(isPlainObject(resumption) && { resumption }),
      ...(typeof resets === "number" && { resets }),
    } as unknown as RecordState;
  }

  entryOf({ until, data }: { until: number; data: string }): MemberEntry {
    // Version 1 knows no incarnations.
    const { id, name, used, told = {}, holds, paid, incarnation = 0, turn, last, run } = this.object(data);
    if (typeof id !== "string" || typeof name !== "string") throw damagedStore(this.store);
    if (!Number.isFinite(turn) || !Number.isFinite(incarnation)) throw damagedStore(this.store);
    return {
      id,
      name,
      used: this.amounts(used),
      told: this.amounts(told),
      holds: this.amounts(holds),
      paid: this.amounts(paid),
      incarnation: incarnation as number,
      turn: turn as number,
      until,
      ...(isPlainObject(last) && { last: last as unknown as NonNullable<MemberEntry["last"]> }),
      ...(isPlainObject(run) && { run: run as unknown as NonNullable<MemberEntry["run"]> }),
    };
  }

  amounts(value: unknown): Record<string, number> {
    if (!isPlainObject(value)) throw damagedStore(this.store);
    const found = amounts(value as Amounts);
    for (const measure in found) if (!Number.isFinite(found[measure])) throw damagedStore(this.store);
    return found;
  }

  object(text: string): Record<string, unknown> {
    const value = this.parsed(text);
    if (isPlainObject(value)) return value;
    throw damagedStore(this.store);
  }

  parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw damagedStore(this.store, error);
    }
  }
}
