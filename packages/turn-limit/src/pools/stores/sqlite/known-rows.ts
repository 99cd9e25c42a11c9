import type { StatementSync } from "node:sqlite";
import type { MemberEntry } from "../../ledger/rules.ts";
import type { AccountRow } from "./rows.ts";

/** The row of a record, and that of a member. */
export interface Found {
  account: AccountRow;
  entry: MemberEntry | undefined;
}

/** So many are kept at most. */
const MOST = 4_000;

interface Kept extends Found {
  member: string;
  /** The member as it was written. */
  data: string;
  /** What the number was that tells whether others have written since. */
  version: number | undefined;
}

/**
 * What this process wrote last of each pool. As long as nobody else has written to the file since, it need not be read:
 * that takes longer than asking SQLite whether somebody has. Afterwards the member need not be parsed, if its row is the same.
 */
export class KnownRows {
  readonly #version: StatementSync;
  #seen: number | undefined;
  readonly #found = new Map<string, Kept>();

  /** `version`: reads a number that changes whenever another connection has written. */
  constructor(version: StatementSync) {
    this.#version = version;
    version.setReturnArrays?.(true);
  }

  /** Within a transaction nobody else writes. */
  forgetIfChanged(): void {
    const row = this.#version.get() as unknown as [number] | { data_version: number };
    this.#seen = Array.isArray(row) ? row[0] : row.data_version;
  }

  find(pool: string, member: string): Found | undefined {
    const found = this.#found.get(pool);
    return found?.member === member && found.version === this.#seen ? found : undefined;
  }

  /** The member, if this is what was written of it. */
  entry(pool: string, member: string, until: number, data: string): MemberEntry | undefined {
    const found = this.#found.get(pool);
    return found?.member === member && found.data === data && found.entry?.until === until
      ? found.entry
      : undefined;
  }

  keep(pool: string, member: string, { account, entry }: Found, data: string): void {
    const version = this.#seen;
    const found = this.#found.get(pool);
    if (found) {
      found.member = member;
      found.account = account;
      found.entry = entry;
      found.data = data;
      found.version = version;
      return;
    }
    if (this.#found.size >= MOST) this.#found.clear();
    this.#found.set(pool, { member, account, entry, data, version });
  }

  forget(pool: string): void {
    this.#found.delete(pool);
  }

  forgetAll(): void {
    this.#found.clear();
  }
}
