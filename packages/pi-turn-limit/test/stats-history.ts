import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A sessions folder of one test. */
export interface SessionsFolder extends AsyncDisposable {
  readonly agentDir: string;
  readonly path: string;
  /** Writes a session file; its name gives its age. */
  write(name: string, lines: readonly (object | string)[]): Promise<string>;
}

/** Makes an agent folder with an empty `sessions` in it. */
export async function sessionsFolder(): Promise<SessionsFolder> {
  const agentDir = await mkdtemp(join(tmpdir(), "stats-"));
  const path = join(agentDir, "sessions");
  await mkdir(path);
  return {
    agentDir,
    path,
    async write(name, lines) {
      const file = join(path, `${name}.jsonl`);
      await mkdir(dirname(file), { recursive: true });
      const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
      await writeFile(file, `${text.join("\n")}\n`);
      return file;
    },
    [Symbol.asyncDispose]: () => rm(agentDir, { recursive: true, force: true }),
  };
}

/** Writes the entries of one session as Pi does: each the child of the one before, a second later. */
export class Conversation {
  readonly lines: object[];
  #parentId: string | null = null;
  #clock: number;
  #entries = 0;
  readonly #name: string;

  constructor(name = "a", begins = Date.UTC(2026, 0, 1)) {
    this.#name = name;
    this.#clock = begins;
    this.lines = [{ type: "session", version: 3, id: name, timestamp: this.#now(), cwd: "/project" }];
  }

  prompt(text = "Go."): this {
    return this.#message({ role: "user", content: text, timestamp: this.#clock + 1_000 });
  }

  /** A message that was written while the entry before was still under way. */
  queued(text = "Left."): this {
    return this.#message({ role: "user", content: text, timestamp: this.#clock - 500 });
  }

  answer(stopReason = "stop", usage: object = used(100, 20)): this {
    return this.#message({ role: "assistant", content: [], stopReason, usage });
  }

  results(count = 1): this {
    for (let index = 0; index < count; index++) {
      this.#message({ role: "toolResult", toolCallId: `${index}`, toolName: "bash", content: [] });
    }
    return this;
  }

  /** Turns with a tool call each, and a last one that answers. */
  turns(count: number): this {
    for (let turn = 1; turn < count; turn++) this.answer("toolUse").results();
    return this.answer();
  }

  entry(entry: object): this {
    this.#clock += 1_000;
    const id = `${this.#name}${++this.#entries}`;
    this.lines.push({ id, parentId: this.#parentId, timestamp: this.#now(), ...entry });
    this.#parentId = id;
    return this;
  }

  /** The id of the last entry. */
  get here(): string | null {
    return this.#parentId;
  }

  /** Goes back to an earlier entry of the tree. */
  goTo(id: string | null): this {
    this.#parentId = id;
    return this;
  }

  /** A session file that repeats the entries so far, as a fork does. */
  fork(name: string): Conversation {
    const fork = new Conversation(name, this.#clock + 1_000);
    fork.lines.push(...this.lines.slice(1));
    fork.#parentId = this.#parentId;
    return fork;
  }

  #message(message: object): this {
    return this.entry({ type: "message", message });
  }

  #now(): string {
    return new Date(this.#clock).toISOString();
  }
}

/** What an answer took. */
export function used(input: number, output: number, dollars = 0.01, cacheRead = 0, cacheWrite = 0): object {
  return { input, output, cacheRead, cacheWrite, cost: { total: dollars } };
}
