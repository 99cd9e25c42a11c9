import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { patience } from "@turn-limit/rig";
import { BIN } from "./under-run.ts";

const run = promisify(execFile);
const betweenLooks = 500;

interface Question {
  /** The id of the run that asks. */
  readonly run: string;
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
    const seen: { runs: { id: string; questions: Omit<Question, "run">[] }[] } = JSON.parse(
      await pools("--json"),
    );
    return seen.runs.flatMap(({ id, questions }) => questions.map((question) => ({ ...question, run: id })));
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
    /** Replies to a question. */
    answer: ({ run, id }: Question, reply: string) => pools("answer", run, id, reply),
  };
}
