import { homedir } from "node:os";
import { sep } from "node:path";
import type { Max } from "turn-limit";
import { budgetSettings } from "../config/budget-settings.ts";
import { limitCommands } from "../config/inputs.ts";
import type { Claims, LimitKey, LimitValues, ToolKey } from "../config/LimitValues.ts";
import type { LimitCommand } from "../config/TextInput.ts";
import { isToolKey, splitTool, toolBudgetOf } from "../config/tool-budgets.ts";
import { amountText, usedText } from "../ui/amount-text.ts";
import { wordsFor } from "../ui/limit-words.ts";
import type { LimitRow } from "../ui/limits-panel/LimitRow.ts";
import type { GovernedRun } from "./governed-run.ts";
import type { LimitsInForce } from "./limits-in-force.ts";
import { standingOf } from "./standing-of.ts";

type LimitsShown = Pick<LimitsInForce, "values" | "sourceOf" | "choose">;
type RunShown = Pick<GovernedRun, "standings" | "spent">;

/** A limit whose text is a number and perhaps a policy, as the panel takes it. */
interface PlainLimit {
  limit: string;
  key: LimitKey;
  max: Max;
  policy: string;
  claims(max: Max): Claims;
}

const PLAIN = "a whole number, or unlimited";

/** Every limit as `/limits` shows it, and how it is changed there. */
export function limitRows(limits: LimitsShown, run: RunShown): LimitRow[] {
  const tools = Object.keys(limits.values).filter(isToolKey);
  return [
    ...limitCommands.map((input) => commandRow(input, limits, run)),
    ...tools.map((key) => plainRow(toolLimit(key, limits.values), limits, run)),
    plainRow(repeatLimit(limits.values), limits, run),
  ];
}

function commandRow(input: LimitCommand, limits: LimitsShown, run: RunShown): LimitRow {
  const limit = input.key.split(".")[0] ?? input.key;
  const text = input.format(limits.values);
  return {
    ...standingRow(limit, run),
    source: shortPath(limits.sourceOf(input.key, input.command)),
    policy: text.split(" ").slice(1).join(" "),
    text,
    allowed: input.allowed,
    set: (given) => change(limits, input.parse(given), given, input.allowed),
  };
}

function plainRow(
  { limit, key, max, policy, claims }: PlainLimit,
  limits: LimitsShown,
  run: RunShown,
): LimitRow {
  return {
    ...standingRow(limit, run, max),
    source: shortPath(limits.sourceOf(key, "limits")),
    policy,
    text: String(max),
    allowed: PLAIN,
    set: (given) => {
      const wanted = maxOf(given);
      return change(limits, wanted === undefined ? undefined : claims(wanted), given, PLAIN);
    },
  };
}

function standingRow(limit: string, run: RunShown, max?: Max) {
  const standing = standingOf(limit, run);
  const of = max ?? standing.max;
  return {
    key: limit,
    label: limit.startsWith("tools.") ? wordsFor(limit).unit : wordsFor(limit).label,
    used: usedText(standing),
    max: amountText(limit, of),
    share: of === "unlimited" ? undefined : of === 0 ? 1 : standing.used / of,
  };
}

function toolLimit(key: ToolKey, values: LimitValues): PlainLimit {
  const { max, ...policies } = splitTool(values[key]);
  return {
    limit: key,
    key,
    max,
    policy: policies.onExhausted === "ask" ? "" : policies.onExhausted,
    claims: (wanted) => ({ [key]: wanted === "unlimited" ? wanted : { ...policies, max: wanted } }),
  };
}

function repeatLimit(values: LimitValues): PlainLimit {
  const policy = values["repeats.onExhausted"];
  return {
    limit: "repeats",
    key: "repeats.max",
    max: values["repeats.max"],
    policy: policy === "ask" ? "" : policy,
    claims: (max) => ({ "repeats.max": max }),
  };
}

function shortPath(source: string): string {
  return source.replace(`, ${homedir()}${sep}`, `, ~${sep}`);
}

function maxOf(text: string): Max | undefined {
  const given = text.trim().toLowerCase();
  if (given === "unlimited") return given;
  return /^[0-9]+$/.test(given) ? Number(given) : undefined;
}

function change(
  limits: LimitsShown,
  claims: Claims | undefined,
  given: string,
  allowed: string,
): string | undefined {
  if (!claims || !areGood(claims)) return `Allowed: ${allowed}; not ${JSON.stringify(given.trim())}.`;
  limits.choose(claims);
  return undefined;
}

// What a command reads is good by itself; a plain number may be none for its limit.
function areGood(claims: Claims): boolean {
  return Object.entries(claims).every(([key, value]) => {
    if (isToolKey(key)) return toolBudgetOf(value) !== undefined;
    return key !== "repeats.max" || budgetSettings[key].of(value) !== undefined;
  });
}
