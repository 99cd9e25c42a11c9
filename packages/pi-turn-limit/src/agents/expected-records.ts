import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** A record of the store, and until when it is to be there. */
interface ExpectedRecord {
  readonly name: string;
  readonly until: number;
}

/** How many lines of expired records may stay in the file. */
const MOST_OVER = 100;

/**
 * A file beside a store that says that there is one, and which records it must have, so that their loss is noticed. Where this
 * file cannot be read or written, a loss is not noticed, and the store works all the same.
 */
export class ExpectedRecords {
  readonly file: string;
  readonly #known = new Set<string>();

  constructor(file: string) {
    this.file = file;
  }

  get exists(): boolean {
    return existsSync(this.file);
  }

  /** There is a store. */
  make(): void {
    if (!this.exists) attempt(() => writeFileSync(this.file, ""));
  }

  /** The store is gone, and the person knows it. */
  remove(): void {
    this.#known.clear();
    attempt(() => rmSync(this.file, { force: true }));
  }

  /** The store has this record. Processes add lines at the same time, so none writes the whole file for that. */
  add({ name, until }: ExpectedRecord): void {
    if (this.#known.has(name)) return;
    this.#known.add(name);
    const isThere = this.#records.some((record) => record.name === name);
    if (!isThere) attempt(() => appendFileSync(this.file, lineOf({ name, until })));
  }

  /** The records that the store must have. */
  namesAt(now: number): string[] {
    const records = this.#records;
    const current = records.filter(({ until }) => until > now);
    if (records.length - current.length > MOST_OVER) this.#write(current);
    return current.map(({ name }) => name);
  }

  /** The person has been told that these are lost. */
  forget(names: readonly string[]): void {
    for (const name of names) this.#known.delete(name);
    this.#write(this.#records.filter(({ name }) => !names.includes(name)));
  }

  #write(records: readonly ExpectedRecord[]): void {
    attempt(() => writeFileSync(this.file, records.map(lineOf).join("")));
  }

  get #records(): ExpectedRecord[] {
    return attempt(() => readFileSync(this.file, "utf8").split("\n").flatMap(recordIn)) ?? [];
  }
}

function lineOf({ name, until }: ExpectedRecord): string {
  return `${JSON.stringify({ name, until })}\n`;
}

function recordIn(line: string): ExpectedRecord[] {
  const { name, until } = Object(attempt(() => JSON.parse(line)));
  return typeof name === "string" && typeof until === "number" ? [{ name, until }] : [];
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
