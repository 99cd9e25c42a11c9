import { parseEntry } from "./entry.ts";
import { readLines } from "./lines.ts";
import { type PromptCost, type PromptRun, SessionCounter } from "./session-counter.ts";
import { findSessionFiles, type SessionFile } from "./session-files.ts";

/** What the session files of a person say. */
export interface History<Prompt extends PromptCost = PromptCost> {
  folder: string;
  sessions: number;
  /** The prompts that got an answer. */
  prompts: Prompt[];
  /** How many prompts got no answer: every request failed or was aborted. */
  unanswered: number;
  skippedLines: number;
  unreadableFiles: number;
}

/** How to read a history. */
export interface ReadOptions {
  signal?: AbortSignal | undefined;
  progress?: ((bytesRead: number, bytesInAll: number) => void) | undefined;
}

/** Reads every session file of a folder, a line at a time. Writes nothing, and fails only if it is aborted. */
export async function readHistory(folder: string, options: ReadOptions = {}): Promise<History> {
  return readFiles(folder, await findSessionFiles(folder), options);
}

/** The same of some of its files. */
export async function readFiles(
  folder: string,
  files: readonly SessionFile[],
  { signal, progress }: ReadOptions = {},
): Promise<History<PromptRun>> {
  const counts = { sessions: 0, unanswered: 0, skippedLines: 0, unreadableFiles: 0 };
  const history: History<PromptRun> = { folder, prompts: [], ...counts };
  const seen = new Set<string>();
  const bytesInAll = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let bytesRead = 0;

  for (const { path } of files) {
    const counter = new SessionCounter(seen);
    let isSession = false;
    try {
      for await (const { lines, tooLong, bytes } of readLines(path, { signal })) {
        history.skippedLines += tooLong;
        for (const line of lines) {
          if (line.trim() === "") continue;
          const entry = parseEntry(line);
          if (!entry) {
            history.skippedLines += 1;
            continue;
          }
          isSession ||= entry.kind !== "other";
          counter.add(entry);
        }
        bytesRead += bytes;
        progress?.(bytesRead, bytesInAll);
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isFileProblem(error)) throw error;
      history.unreadableFiles += 1;
    }
    for (const prompt of counter.prompts) {
      if (prompt.turns > 0) history.prompts.push(prompt);
      else history.unanswered += 1;
    }
    if (isSession) history.sessions += 1;
  }
  return history;
}

function isFileProblem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
