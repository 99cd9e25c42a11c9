import { type Check, check, count, flag, oneOf, optional, text } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import type { StepCall } from "../limits/repeated-calls.ts";
import type { Failure, RequestKind } from "./run-state.ts";

// What a host says of a run, checked where it comes in: at the governor, and at the run of an adapter.

/** The number under which a request was admitted. */
export const optionalAdmission = optional(count(), undefined);
/** The final tool, as a host knows it. */
export const optionalFinalTool: Check<string | false | undefined> = optional(
  check(
    (value) => value === false || (typeof value === "string" && value !== ""),
    "the name of a tool, or false",
  ),
  undefined,
);
const textOrNone = optional(text, undefined);
/** Checked for every call, so without a check of the general kind where there is a text. */
export const optionalText: Check<string | undefined> = (value, name) =>
  typeof value === "string" ? value : textOrNone(value, name);
export const optionalFlag = optional(flag, undefined);
export const optionalKind: Check<RequestKind | undefined> = optional(
  oneOf("turn", "retry", "aside"),
  undefined,
);
export const requireFailure: Check<Failure> = oneOf("failed", "aborted");
export const requireNow: Check<number> = check(
  (value) => typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER,
  "a number of milliseconds",
);

/** Knows whether a limit has to be told which tool is called. */
interface NeedsCalls {
  needs(part: "calls"): boolean;
}

/** Checks a tool call. Whether its tool is needed is only asked where it is missing. */
export function requireCall(call: StepCall, limits: NeedsCalls): StepCall {
  if (typeof call !== "object" || call === null || Array.isArray(call))
    throw new InvalidLimit("call", call, "an object with id, tool and args");
  optionalText(call.id, "call.id");
  if (optionalText(call.tool, "call.tool") === undefined && limits.needs("calls"))
    throw new Error(
      "Limits of single tools and of repeats need the call: beforeStep({ id, tool, args }). So does a final tool.",
    );
  return call;
}
