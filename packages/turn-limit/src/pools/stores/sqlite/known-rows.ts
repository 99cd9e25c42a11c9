import type { StatementSync } from "node:sqlite";
import type { MemberEntry } from "../../ledger/rules.ts";
import type { AccountRow } from "./rows.ts";

/** The row of a record, and that of a member. */
export interface Found {
  account: AccountRow;
  entry: MemberEntry | undefined;
}

/** The maximum number of rows that are kept. */
const MOST = 4_000;

/**
 * What this process wrote last of each pool, as long as nobody else has written to the file since: reading it takes longer
 * than asking SQLite whether somebody has.
 */
export class KnownRows {
  readonly #version: StatementSync;
  #seen: number | undefined;
  readonly #found = new Map<string, Found & { member: string }>();

  /** `version`: reads a number that changes whenever another connection has written. */
  constructor(version: StatementSync) {
    this.#version = version;
    version.setReturnArrays?.(true);
  }

  /** Within a transaction nobody else writes. */
  forgetIfChanged(): void {
    const row = this.#version.get() as unknown as [number] | { data_version: number };
    const version = Array.isArray(row) ? row[0] : row.data_version;
    if (version !== this.#seen) this.#found.clear();
    this.#seen = version;
  }

  find(pool: string, member: string): Found | undefined {
    const found = this.#found.get(pool);
    return found?.member === member ? found : undefined;
  }

  keep(pool: string, member: string, { account, entry }: Found): void {
    const found = this.#found.get(pool);
    if (found) {
      found.member = member;
      found.account = account;
      found.entry = entry;
      return;
    }
    if (this.#found.size >= MOST) this.#found.clear();
    this.#found.set(pool, { member, account, entry });
  }

  forget(pool: string): void {
    this.#found.delete(pool);
  }

  forgetAll(): void {
    this.#found.clear();
  }
}
