import { writeSync } from "node:fs";

/** What the processes say of questions and answers. Numbers are the amounts that answers allow: no two have the same. */
export type Said =
  /** A question is about to be asked, by its name. */
  | { said: "asked"; question: string }
  /** It is closed, and the store was told. `reply`: what counted; `own`: what was answered where it was asked. */
  | { said: "closed"; question: string; reply?: number; own?: number; isAborted: boolean }
  | { said: "tries"; answer: number; question: string }
  /** The answer counts, came too late, or could not be given. */
  | { said: "made" | "late" | "failed"; answer: number };

/** What was said, by which process, and when: in nanoseconds, in the same time for all processes of a machine. */
export type Entry = Said & { by: number; at: number };

/** Says it at once: a process that is killed then has said it. */
export function say(said: Said): void {
  const at = Number(process.hrtime.bigint());
  writeSync(1, `${JSON.stringify({ ...said, at })}\n`);
}

/** A number that no other process has. `process`: which one this is. */
export function numbers(process: number): () => number {
  let last = process * 1_000_000;
  return () => {
    last += 1;
    return last;
  };
}

export function chance(part: number): boolean {
  return Math.random() < part;
}
