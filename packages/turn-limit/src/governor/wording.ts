import type { Boundary } from "./Decision.ts";

const NAMES: Record<string, string> = {
  turns: "turn limit",
  steps: "step limit",
  tokens: "token limit",
  cost: "cost limit",
  time: "time limit",
  repeats: "repeat limit",
};

/** What a limit is called in a sentence. */
export function limitTitle(limit: string): string {
  if (Object.hasOwn(NAMES, limit)) return NAMES[limit] as string;
  return limit.startsWith("tools.") ? `limit for ${limit.slice("tools.".length)}` : `${limit} limit`;
}

/** What the model reads as the result of a tool call that was not run because the run is over. */
export function refusal(boundary: Boundary): string {
  return `${notRun(boundary)} No more tool calls are possible in this run.`;
}

/** What the model reads as the result of a tool call that was not run. */
export function notRun({ limit, used, max }: Boundary): string {
  return `Not run: the ${limitTitle(limit)} is reached (${amount(limit, used)}/${amount(limit, max)}).`;
}

/** What the model reads when it makes the same call once more. */
export function sameAgain({ used }: Boundary): string {
  const often = used === 1 ? "already" : `${used} times in a row`;
  return `Not run: this call was made ${often} with the same result. It will not change. Try something else, or answer.`;
}

function amount(limit: string, value: number | "unlimited"): string {
  if (limit === "cost") return `$${value}`;
  return limit === "time" ? `${Math.round(Number(value) / 1000)}s` : String(value);
}
