import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { StoreError } from "../../../core/errors/store-error.ts";
import { isBusy, storeError } from "./failures.ts";
import { type OpenFile, openFile } from "./file.ts";
import { nodeSqlite } from "./node-sqlite.ts";
import { Rows } from "./rows.ts";
import { foreignStore, inspect, migrate } from "./schema.ts";

/** For so many milliseconds SQLite itself waits for others. Nothing else goes on in this process meanwhile. */
const BLOCKING = 4;
/** After that, it is tried again after at most so many milliseconds. */
const PAUSE = 8;

/** A database that is open, and the transactions in it. */
export class Database {
  private readonly store: string;
  private readonly timeout: number;
  private readonly file: OpenFile;
  private readonly db: DatabaseSync;
  private pause: Promise<void> | undefined;
  private transaction!: Record<"begin" | "beginReading" | "commit", StatementSync>;
  private rows!: Rows;

  /** Opens a database, and makes or updates it where needed. One of another program is not touched. */
  static async open(path: string, store: string, timeout: number): Promise<Database> {
    const { DatabaseSync } = nodeSqlite(store);
    const file = openFile(path, store);
    try {
      if (!file.isEmpty) {
        // Neither locks the file nor writes anything beside it.
        const url = pathToFileURL(file.path);
        url.search = "?immutable=1";
        const untouched = new DatabaseSync(url, { readOnly: true });
        try {
          if (inspect(untouched, store) === "new") throw foreignStore(store);
        } finally {
          untouched.close();
        }
      }
      const db = new DatabaseSync(file.path);
      const database = new Database(store, timeout, file, db);
      try {
        await database.prepare();
      } catch (error) {
        db.close();
        throw error;
      }
      return database;
    } catch (error) {
      throw storeError(store, error);
    }
  }

  private constructor(store: string, timeout: number, file: OpenFile, db: DatabaseSync) {
    this.store = store;
    this.timeout = timeout;
    this.file = file;
    this.db = db;
  }

  private async prepare(): Promise<void> {
    const { db, store } = this;
    db.exec(`PRAGMA busy_timeout = ${BLOCKING}`);
    // Everything from here on reads the file, also most pragmas, and others may be making it.
    await this.whenFree(() => {
      db.exec("PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON");
      if (inspect(db, store) === "current") return;
      db.exec("BEGIN IMMEDIATE");
      try {
        // Another process may have been faster.
        if (inspect(db, store) !== "current") migrate(db);
        db.exec("COMMIT");
      } catch (error) {
        this.abandon();
        throw error;
      }
    });
    await this.whenFree(() => {
      if (db.prepare("PRAGMA journal_mode").get()?.journal_mode !== "wal")
        db.exec("PRAGMA journal_mode = WAL");
    });
    await this.whenFree(() => {
      this.transaction = {
        begin: db.prepare("BEGIN IMMEDIATE"),
        beginReading: db.prepare("BEGIN"),
        commit: db.prepare("COMMIT"),
      };
      this.rows = new Rows(db, store);
    });
  }

  /** Does something in one transaction: all of it or nothing, with no other process in between. */
  write<T>(work: (rows: Rows) => T): Promise<T> {
    return this.inTransaction("begin", work);
  }

  /** Reads several things as they are at one moment. */
  read<T>(work: (rows: Rows) => T): Promise<T> {
    return this.inTransaction("beginReading", work);
  }

  close(): void {
    this.db.close();
  }

  private inTransaction<T>(begin: "begin" | "beginReading", work: (rows: Rows) => T): Promise<T> {
    return this.whenFree(() => {
      this.file.requireSame();
      this.transaction[begin].run();
      try {
        const result = work(this.rows);
        this.transaction.commit.run();
        return result;
      } catch (error) {
        this.abandon();
        throw error;
      }
    });
  }

  private abandon(): void {
    if (this.db.isTransaction) this.db.exec("ROLLBACK");
  }

  // Of all who wait in this process one tries at a time: every attempt may block for a while.
  private async whenFree<T>(attempt: () => T): Promise<T> {
    let deadline: number | undefined;
    for (;;) {
      while (this.pause) await this.pause;
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw storeError(this.store, error);
        deadline ??= performance.now() + this.timeout;
        if (performance.now() >= deadline) throw this.locked(error);
      }
      this.pause ??= delay(1 + Math.random() * PAUSE).then(() => {
        this.pause = undefined;
      });
    }
  }

  private locked(cause: unknown): StoreError {
    const what = `has been locked by another process for ${this.timeout / 1000} seconds`;
    const advice = "End the process that holds it, or wait for longer with the option timeout.";
    return new StoreError(this.store, what, advice, { cause });
  }
}
