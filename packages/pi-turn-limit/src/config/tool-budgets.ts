import type { Max } from "turn-limit";
import { counted } from "./Amount.ts";
import { isObject, isUnlimited } from "./grammar.ts";
import type { Headless, OnBudgetExhausted, ToolBudget, ToolKey } from "./LimitValues.ts";
import { exhaustionPolicy, headlessPolicy, maximum, type Setting } from "./Setting.ts";

/** A tool's limit part by part. */
export interface ToolParts {
  max: Max;
  onExhausted: OnBudgetExhausted;
  headless: Headless;
}

/** The settings of one tool's limit. */
export function settingsOfTool(tool: string): {
  readonly [Part in keyof ToolParts]: Setting<ToolParts[Part]>;
} {
  return {
    max: maximum(`${tool} limit`, counted(0)),
    onExhausted: exhaustionPolicy(`${tool} policy`),
    headless: headlessPolicy(`${tool} headless policy`),
  };
}

/** The parts of a tool's limit; an unlimited one has the policies that a limit has by default. */
export function splitTool(budget: ToolBudget = "unlimited"): ToolParts {
  if (budget !== "unlimited") return budget;
  return { max: "unlimited", onExhausted: "ask", headless: "stop" };
}

/** The limit that these parts make. */
export function joinTool({ max, onExhausted, headless }: ToolParts): ToolBudget {
  return max === "unlimited" ? max : { max, onExhausted, headless };
}

/** Returns `value` if it is a tool's limit as claims hold it. */
export function toolBudgetOf(value: unknown): ToolBudget | undefined {
  if (isUnlimited(value)) return "unlimited";
  if (!isObject(value)) return undefined;
  const settings = settingsOfTool("");
  const max = settings.max.of(value.max);
  const onExhausted = settings.onExhausted.of(value.onExhausted);
  const headless = settings.headless.of(value.headless);
  if (max === undefined || onExhausted === undefined || headless === undefined) return undefined;
  return joinTool({ max, onExhausted, headless });
}

/** Is this the key of a tool's limit? */
export function isToolKey(key: string): key is ToolKey {
  return key.startsWith("tools.");
}

/** The tool that a key is about. */
export function toolOf(key: ToolKey): string {
  return key.slice("tools.".length);
}
