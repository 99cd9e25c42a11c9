import type { LimitIdentity } from "turn-limit";
import { OUTCOME } from "../display/summary-line.ts";

/** What an answer took, as Pi keeps it. */
export interface AnswerUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  dollars: number;
}

/** A line of a session file, with what is needed for counting. */
export type Entry = { id?: string; savedAt: number } & (
  | { kind: "user"; writtenAt?: number }
  | { kind: "assistant"; stopReason?: string; usage: AnswerUsage }
  | { kind: "toolResult"; tool?: string }
  /** How a run ended in which a limit intervened, as this extension keeps it. */
  | { kind: "outcome"; outcome: string; limit?: LimitIdentity; time?: number }
  /** Takes a message out of what the model sees. */
  | { kind: "omission"; targetId: string }
  | { kind: "session" }
  | { kind: "other" }
);

/** Reads a line; returns `undefined` for one that is not an entry. */
export function parseEntry(line: string): Entry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const entry = fields(value);
  if (typeof entry?.type !== "string") return undefined;
  return {
    ...(typeof entry.id === "string" && { id: entry.id }),
    savedAt: Date.parse(String(entry.timestamp)),
    ...content(entry),
  };
}

type Content = Entry extends infer E ? (E extends unknown ? Omit<E, "id" | "savedAt"> : never) : never;

function content(entry: Record<string, unknown>): Content {
  if (entry.type === "session") return { kind: "session" };
  if (entry.type === "context_edit" && entry.replacement === null && typeof entry.targetId === "string") {
    return { kind: "omission", targetId: entry.targetId };
  }
  if (entry.type === "custom" && entry.customType === OUTCOME) return outcomeOf(fields(entry.data));
  const message = entry.type === "message" ? fields(entry.message) : undefined;
  switch (message?.role) {
    case "user":
      return { kind: "user", ...(typeof message.timestamp === "number" && { writtenAt: message.timestamp }) };
    case "assistant":
      return {
        kind: "assistant",
        ...(typeof message.stopReason === "string" && { stopReason: message.stopReason }),
        usage: usageOf(fields(message.usage)),
      };
    case "toolResult":
      return {
        kind: "toolResult",
        ...(typeof message.toolName === "string" && { tool: message.toolName }),
      };
    default:
      return { kind: "other" };
  }
}

function usageOf(usage: Record<string, unknown> | undefined): AnswerUsage {
  return {
    input: amount(usage?.input),
    output: amount(usage?.output),
    cacheRead: amount(usage?.cacheRead),
    cacheWrite: amount(usage?.cacheWrite),
    dollars: amount(fields(usage?.cost)?.total),
  };
}

function outcomeOf(data: Record<string, unknown> | undefined): Content {
  const { outcome, time } = data ?? {};
  const limit = fields(data?.identity);
  if (typeof outcome !== "string") return { kind: "other" };
  return {
    kind: "outcome",
    outcome,
    ...(typeof limit?.kind === "string" && { limit: limit as unknown as LimitIdentity }),
    ...(time !== undefined && { time: amount(time) }),
  };
}

// A file can say anything. More than this is no usage, and sums of it would no longer be numbers.
const MOST = Number.MAX_SAFE_INTEGER;

function amount(value: unknown): number {
  return typeof value === "number" && value > 0 && value <= MOST ? value : 0;
}

function fields(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}
