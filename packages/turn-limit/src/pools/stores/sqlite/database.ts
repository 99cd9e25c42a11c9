import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { StoreError } from "../../../core/errors/store-error.ts";
import { busyError, closedStore, deletedLog, isBusy, storeError } from "./failures.ts";
import { type OpenFile, openFile, removeForeignIndex, WriteAheadLog } from "./file.ts";
import { nodeSqlite } from "./node-sqlite.ts";
import { Rows } from "./rows.ts";
import { inspect, inspectHeader, migrate } from "./schema.ts";

/**
 * For about how many milliseconds nothing is tried after it was tried in vain: the first time, the second, and so on. SQLite
 * itself does not wait, for nothing else would go on in this process meanwhile. Short pauses are no help: the more processes
 * try in vain, the less gets on who has the lock.
 */
const PAUSES = [20, 50, 100, 200, 400];
/** Of the time that is left to wait, a pause takes at most this part. */
const PART_OF_REST = 1 / 8;

/** A database that is open, and the transactions in it. */
export class Database {
  private readonly store: string;
  private readonly timeout: number;
  private readonly file: OpenFile;
  private readonly db: DatabaseSync;
  /** Why nothing can be done with it any more, once it is closed. */
  private closed: StoreError | undefined;
  private pause: Promise<void> | undefined;
  /** How often it was tried in vain, less how often it was done since. */
  private failures = 0;
  private readonly transaction: Record<"write" | "read" | "commit", StatementSync>;
  private rows!: Rows;
  private log!: WriteAheadLog;

  /** Opens a database, and makes or updates it where needed. One of another program is not touched. */
  static async open(path: string, store: string, timeout: number): Promise<Database> {
    const { DatabaseSync } = nodeSqlite(store);
    const file = openFile(path, store);
    let database: Database | undefined;
    try {
      if (file.header) inspectHeader(file.header, store);
      database = new Database(store, timeout, file, new DatabaseSync(file.path));
      await database.prepare();
      return database;
    } catch (error) {
      if (database) database.close();
      else file.release();
      throw storeError(store, error);
    }
  }

  private constructor(store: string, timeout: number, file: OpenFile, db: DatabaseSync) {
    this.store = store;
    this.timeout = timeout;
    this.file = file;
    this.db = db;
    this.transaction = {
      write: db.prepare("BEGIN IMMEDIATE"),
      read: db.prepare("BEGIN"),
      commit: db.prepare("COMMIT"),
    };
  }

  private async prepare(): Promise<void> {
    const { db, store } = this;
    db.exec("PRAGMA busy_timeout = 0");
    // Everything from here on reads the file, also most pragmas, and others may be making it.
    await this.whenFree(() => {
      db.exec("PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON");
      // What is inspected has to be of one moment.
      if (this.within(this.transaction.read, () => inspect(db, store)) === "current") return;
      this.within(this.transaction.write, () => {
        // Another process may have been faster.
        const found = inspect(db, store);
        if (found === "new") removeForeignIndex(this.file.path);
        if (found !== "current") migrate(db);
      });
    });
    await this.whenFree(() => {
      if (db.prepare("PRAGMA journal_mode").get()?.journal_mode !== "wal")
        db.exec("PRAGMA journal_mode = WAL");
    });
    await this.whenFree(() => {
      this.rows = new Rows(db, store);
      // SQLite makes the log with the first transaction.
      this.within(this.transaction.read, () => inspect(db, store));
      this.log = new WriteAheadLog(this.file.path);
    });
  }

  /**
   * Does something in one transaction: all of it or nothing, with no other process in between. At once, unless others have to
   * be waited for. `within`: for how many
   * milliseconds others are waited for at most, if that is less than for other requests.
   */
  write<T>(work: (rows: Rows) => T, within?: number): T | Promise<T> {
    return this.inTransaction(this.transaction.write, work, within);
  }

  /** Reads several things as they are at one moment. */
  read<T>(work: (rows: Rows) => T): T | Promise<T> {
    return this.inTransaction(this.transaction.read, work);
  }

  /** Otherwise it has to be opened again. */
  get isOpen(): boolean {
    return !this.closed;
  }

  close(why = closedStore(this.store)): void {
    if (this.closed) return;
    this.closed = why;
    this.db.close();
    this.file.release();
  }

  private inTransaction<T>(begin: StatementSync, work: (rows: Rows) => T, within?: number): T | Promise<T> {
    return this.whenFree(() => {
      this.file.folder.lookIfChanged(this.requireFiles);
      return this.within(begin, () => work(this.rows));
    }, within);
  }

  private readonly requireFiles = () => {
    this.file.requireSame();
    if (!this.log.isThere) this.giveUpLog();
  };

  private within<T>(begin: StatementSync, work: () => T): T {
    // What `run` would tell of them takes a while to tell.
    begin.get();
    try {
      if (begin === this.transaction.write) this.rows?.begin();
      const result = work();
      this.transaction.commit.get();
      return result;
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  // What is in the deleted log is written into the database, unless others have begun another log.
  private giveUpLog(): never {
    if (this.isOpen && !this.log.isReplaced) {
      const { busy } = this.db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
      if (busy) throw busyError();
    }
    const why = deletedLog(this.store, this.log.path);
    this.close(why);
    throw why;
  }

  private abandon(): void {
    this.rows?.forgetFound();
    if (this.db.isTransaction) this.db.exec("ROLLBACK");
  }

  private whenFree<T>(attempt: () => T, within = Infinity): T | Promise<T> {
    const timeout = Math.min(this.timeout, within);
    if (this.pause || within <= 0) return this.whenFreeAgain(attempt, timeout, within < Infinity);
    try {
      return this.tried(attempt);
    } catch (error) {
      if (!isBusy(error)) throw storeError(this.store, error);
      this.pause = this.nextPause(timeout);
      return this.whenFreeAgain(attempt, timeout, true, error);
    }
  }

  // Of all who wait in this process one tries at a time: what one cannot do, the others cannot either.
  private async whenFreeAgain<T>(
    attempt: () => T,
    timeout: number,
    mustHurry: boolean,
    problem?: unknown,
  ): Promise<T> {
    const deadline = performance.now() + timeout;
    for (;;) {
      while (this.pause) await this.pause;
      // Nobody waits for it any more.
      if ((problem || mustHurry) && performance.now() >= deadline) throw this.locked(timeout, problem);
      try {
        return this.tried(attempt);
      } catch (error) {
        if (!isBusy(error)) throw storeError(this.store, error);
        problem = error;
      }
      this.pause ??= this.nextPause(deadline - performance.now());
    }
  }

  private tried<T>(attempt: () => T): T {
    // It was closed while this waited for others.
    if (this.closed) throw this.closed;
    const result = attempt();
    this.failures = Math.max(0, this.failures - 1);
    return result;
  }

  // No two processes wait in step.
  private async nextPause(rest: number): Promise<void> {
    const pause = (PAUSES[this.failures] ?? 0) * (0.5 + Math.random());
    this.failures = Math.min(this.failures + 1, PAUSES.length - 1);
    await delay(Math.max(1, Math.min(pause, rest * PART_OF_REST)));
    this.pause = undefined;
  }

  private locked(timeout: number, cause: unknown): StoreError {
    const what = `has been locked by another process for ${Math.ceil(timeout) / 1000} seconds`;
    const advice = "End the process that holds it, or wait for longer with the option timeout.";
    return new StoreError(this.store, what, advice, { cause });
  }
}
