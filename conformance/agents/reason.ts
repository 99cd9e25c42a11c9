import { stripVTControlCharacters } from "node:util";
import type { AgentResult } from "@turn-limit/rig";

const OUR_LINE = /^turn-limit: (.*?)(?: · |$)/;
const LIMIT_LINE = /limit reached|max\b.*\bturns|budget/i;

/**
 * What a run says about its end: our own line up to its numbers, else the last line about a limit, else the last line
 * of an agent that gave no answer.
 */
export function reasonIn({ stdout, stderr }: AgentResult, answered: boolean): string | undefined {
  const lines = stripVTControlCharacters(`${stdout}\n${stderr}`)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const ours = lines.map((line) => OUR_LINE.exec(line)?.[1]).findLast((line) => line !== undefined);
  const told = lines.findLast((line) => LIMIT_LINE.test(line));
  return ours ?? told ?? (answered ? undefined : lines.at(-1));
}
