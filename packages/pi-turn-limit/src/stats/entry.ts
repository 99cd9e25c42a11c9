/** What an answer took, as Pi keeps it. */
export interface AnswerUsage {
  tokens: number;
  cacheTokens: number;
  dollars: number;
}

/** A line of a session file, with what is needed for counting. */
export type Entry = { id?: string; savedAt: number } & (
  | { kind: "user"; writtenAt?: number }
  | { kind: "assistant"; stopReason?: string; usage: AnswerUsage }
  | { kind: "toolResult" }
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
      return { kind: "toolResult" };
    default:
      return { kind: "other" };
  }
}

function usageOf(usage: Record<string, unknown> | undefined): AnswerUsage {
  return {
    tokens: amount(usage?.input) + amount(usage?.output),
    cacheTokens: amount(usage?.cacheRead) + amount(usage?.cacheWrite),
    dollars: amount(fields(usage?.cost)?.total),
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
