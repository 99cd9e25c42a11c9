import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { patience } from "@turn-limit/rig";
import { BIN } from "./under-run.ts";

const run = promisify(execFile);
const betweenLooks = 500;

interface Question {
  readonly id: string;
  readonly name: string;
  readonly limit: string;
  readonly used: number;
  readonly max: number;
  readonly open: boolean;
}

/** `turn-limit pools` in another process, for a person who watches a store. */
export function poolsCommand(store: string) {
  const pools = async (...words: string[]) =>
    (await run(process.execPath, [BIN, "pools", ...words, "--store", store], { timeout: patience })).stdout;

  // There is no store before the first question.
  async function questions(): Promise<Question[]> {
    if (!existsSync(store)) return [];
    const seen: { pools: { questions: Question[] }[] } = JSON.parse(await pools("--json"));
    return seen.pools.flatMap(({ questions }) => questions);
  }

  async function openQuestion(): Promise<Question> {
    const deadline = Date.now() + patience;
    for (;;) {
      const question = (await questions()).find(({ open }) => open);
      if (question) return question;
      if (Date.now() > deadline) throw new Error(`No question was asked within ${patience} ms.`);
      await pause(betweenLooks);
    }
  }

  return {
    /** Waits until a question is open. */
    openQuestion,
    /** Replies to a question of the pool in which runs ask. */
    answer: ({ id }: Question, reply: string) => pools("answer", "runs", id, reply),
  };
}
