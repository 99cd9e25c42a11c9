import { setImmediate } from "node:timers/promises";
import type { Ask, Reply } from "../../src/index.ts";

/** What a person was asked, and how to reply. */
export interface Asked {
  ask: Ask;
  /** Aborted when the question was withdrawn. */
  signal: AbortSignal;
  reply(reply: Reply | undefined): void;
}

/** Somebody who can be asked, and replies when the test says so. */
export class Person {
  /** Every question so far. */
  readonly asked: Asked[] = [];

  readonly ask = (ask: Ask, signal: AbortSignal): Promise<Reply | undefined> =>
    new Promise((resolve) => {
      this.asked.push({ ask, signal, reply: resolve });
    });

  /** The latest question. */
  get last(): Asked {
    const last = this.asked.at(-1);
    if (!last) throw new Error("Nobody was asked.");
    return last;
  }

  /** Replies to the latest question, and lets everything come to rest. */
  async replies(reply: Reply | undefined): Promise<void> {
    this.last.reply(reply);
    await rest();
  }
}

/** Lets whatever is going on come to rest. */
export async function rest(): Promise<void> {
  await setImmediate();
}
