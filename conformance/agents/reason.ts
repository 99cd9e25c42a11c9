import { stripVTControlCharacters } from "node:util";
import type { AgentResult } from "@turn-limit/rig";

const OUR_LINE = /^turn-limit: (.*?)(?: · |$)/;
const WAITING = /Waiting until .*?\)(?=\.)/;
const LIMIT_LINE = /limit reached|max\b.*\bturns|budget|loop/i;

/**
 * What a run waited for, and what it says about its end: our own line up to its numbers, else the last line about a limit,
 * else the last line of an agent that gave no answer.
 */
export function reasonIn({ stdout, stderr }: AgentResult, answered: boolean): string | undefined {
  const lines = stripVTControlCharacters(`${stdout}\n${stderr}`)
    .split("\n")
    .map((line) => errorOfJson(line.trim()))
    .filter((line) => line !== "");
  const ours = lines.map((line) => OUR_LINE.exec(line)?.[1]).findLast((line) => line !== undefined);
  const told = lines.findLast((line) => LIMIT_LINE.test(line));
  const waited = lines.flatMap((line) => WAITING.exec(line)?.[0] ?? []);
  const ended = ours ?? told ?? (answered ? undefined : lines.at(-1));
  return [...waited, ended].filter((part) => part !== undefined).join("; ") || undefined;
}

/** What a run that is printed as JSON says of its end, in the place of all of it. */
function errorOfJson(line: string): string {
  if (!line.startsWith('{"')) return line;
  const { errors } = JSON.parse(line) as { errors?: string[] };
  return errors?.join("; ") ?? line;
}
