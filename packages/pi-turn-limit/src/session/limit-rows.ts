import { homedir } from "node:os";
import { sep } from "node:path";
import type { Max } from "turn-limit";
import { budgetSettings } from "../config/budget-settings.ts";
import { limitCommands } from "../config/inputs.ts";
import type { Claims, LimitKey, LimitValues, ToolKey } from "../config/LimitValues.ts";
import type { Setting } from "../config/Setting.ts";
import type { LimitCommand } from "../config/TextInput.ts";
import { isToolKey, joinTool, settingsOfTool, splitTool, toolOf } from "../config/tool-budgets.ts";
import { maxText, usedText } from "../ui/amount-text.ts";
import { wordsFor } from "../ui/limit-words.ts";
import type { LimitRow } from "../ui/limits-panel/LimitRow.ts";
import type { GovernedRun } from "./governed-run.ts";
import type { LimitsInForce } from "./limits-in-force.ts";
import { standingOf } from "./standing-of.ts";

type LimitsShown = Pick<LimitsInForce, "values" | "sourceOf" | "choose">;
type RunShown = Pick<GovernedRun, "standings" | "spent">;

/** A limit whose text is a number, as the panel takes it. */
interface PlainLimit {
  limit: string;
  key: LimitKey;
  setting: Setting<Max>;
  max: Max;
  policy: string;
  claims(max: Max): Claims;
}

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
    set: (given) => {
      const claims = input.parse(given);
      return change(limits, claims && { ...input.unsaid, ...claims }, given, input.allowed);
    },
  };
}

function plainRow(
  { limit, key, setting, max, policy, claims }: PlainLimit,
  limits: LimitsShown,
  run: RunShown,
): LimitRow {
  const allowed = setting.allowed.join(", or ").replaceAll('"', "");
  return {
    ...standingRow(limit, run),
    source: shortPath(limits.sourceOf(key, "limits")),
    policy,
    text: String(max),
    allowed,
    set: (given) => {
      const wanted = setting.of(numberOrWord(given));
      return change(limits, wanted === undefined ? undefined : claims(wanted), given, allowed);
    },
  };
}

function standingRow(limit: string, run: RunShown) {
  const standing = standingOf(limit, run);
  const { used, max } = standing;
  return {
    key: limit,
    label: limit.startsWith("tools.") ? wordsFor(limit).unit : wordsFor(limit).label,
    used: usedText(standing),
    max: maxText(limit, max),
    share: max === "unlimited" ? undefined : max === 0 ? 1 : used / max,
  };
}

function toolLimit(key: ToolKey, values: LimitValues): PlainLimit {
  const { max, ...policies } = splitTool(values[key]);
  return {
    limit: key,
    key,
    setting: settingsOfTool(toolOf(key)).max,
    max,
    policy: policies.onExhausted === "ask" ? "" : policies.onExhausted,
    claims: (wanted) => ({ [key]: joinTool({ ...policies, max: wanted }) }),
  };
}

function repeatLimit(values: LimitValues): PlainLimit {
  const policy = values["repeats.onExhausted"];
  return {
    limit: "repeats",
    key: "repeats.max",
    setting: budgetSettings["repeats.max"],
    max: values["repeats.max"],
    policy: policy === "ask" ? "" : policy,
    claims: (max) => ({ "repeats.max": max }),
  };
}

function shortPath(source: string): string {
  return source.replace(`, ${homedir()}${sep}`, `, ~${sep}`);
}

function numberOrWord(text: string): number | string {
  const given = text.trim();
  return /^[0-9]+$/.test(given) ? Number(given) : given;
}

function change(
  limits: LimitsShown,
  claims: Claims | undefined,
  given: string,
  allowed: string,
): string | undefined {
  if (!claims) return `Allowed: ${allowed}; not ${JSON.stringify(given.trim())}.`;
  limits.choose(claims);
  return undefined;
}
