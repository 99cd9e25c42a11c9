import { sameResult } from "./same-call.ts";

/** What frameworks and agents call a result that is an error. */
const FLAGS = ["isError", "is_error", "failed"] as const;
const FAILED_STATUS = /^(error|failed|failure)$/;
const BEGINS_AS_ERROR = /^\W*(an? )?(\w+ )?(\w*error|exception|failure)\b/i;
/** A command that says nothing but that it failed. Many different ones say just that. */
const BARE_EXIT =
  /\(no output\)|((command|process) )?(exited with|exit) (code|status)[: ]*\d+|exit code[: ]*\d+/gi;
const NON_ZERO_EXIT = /\b(exited with|exit) (code|status)[: ]*[1-9]\d*\b/i;

/**
 * The error that a result is, as it is compared. `undefined`: it is none, or it says too little to tell it from others.
 * `failed`: the host says that it is one.
 */
export function errorOf(result: unknown, failed = false): unknown {
  if (!failed && !isFailed(result)) return undefined;
  const error = sameResult(result instanceof Error ? String(result) : result);
  return /\p{L}{3}/u.test(textOf(error).replace(BARE_EXIT, "")) ? error : undefined;
}

/** Is a result an error, as frameworks and tools write one? */
export function isFailed(result: unknown): boolean {
  if (result instanceof Error) return true;
  if (typeof result === "string") return BEGINS_AS_ERROR.test(result) || NON_ZERO_EXIT.test(result);
  if (typeof result !== "object" || result === null) return false;
  if (Array.isArray(result)) return isFailed(firstText(result));
  const fields = result as Record<string, unknown>;
  if (FLAGS.some((flag) => fields[flag] === true)) return true;
  if (typeof fields.status === "string" && FAILED_STATUS.test(fields.status)) return true;
  if (typeof fields.error === "string" && fields.error !== "") return true;
  const code = fields.exitCode ?? fields.exit_code;
  return typeof code === "number" && code !== 0;
}

/** The text that a list of parts begins with, as models are given results. */
function firstText([first]: readonly unknown[]): unknown {
  return typeof first === "object" && first !== null && "text" in first ? first.text : undefined;
}

/** The words in a result, without the names of its fields. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .filter(([key]) => key !== "type" && key !== "status")
    .map(([, item]) => textOf(item))
    .join(" ");
}
