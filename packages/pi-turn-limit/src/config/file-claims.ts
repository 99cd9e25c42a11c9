import { budgetNames, budgetSettings, settingsOf } from "./budget-settings.ts";
import { type Part, type Parts, readParts } from "./file-parts.ts";
import { countOf, headlessOf, isObject, maxOf, stepsOf } from "./grammar.ts";
import type { Claims, LimitKey } from "./LimitValues.ts";
import { either, refusal } from "./refusal.ts";
import { type SettingsFile, unknownSetting } from "./settings-file.ts";
import { readTools } from "./tool-claims.ts";

/** The limits a settings file can name. */
export const limitKeysOfFiles = ["turns", "steps", ...budgetNames, "tools", "boundary"] as const;

const WHOLE = "a whole number from 0 on";

const turnParts: Parts = {
  max: { name: "turn limit", allowed: [WHOLE, '"unlimited"'], read: maxOf },
  grace: { name: "turn grace", allowed: [WHOLE], read: (value) => countOf(value) },
  headless: { name: "headless policy", allowed: ['"stop" or "synthesize"'], read: headlessOf },
  message: {
    name: "wrap-up message",
    allowed: ["a text"],
    read: (value) => (typeof value === "string" && value.trim() !== "" ? value : undefined),
  },
};
const turnKeys: Readonly<Record<string, LimitKey>> = {
  max: "turns",
  grace: "grace",
  headless: "headless",
  message: "wrapUpMessage",
};
const steps: Part = {
  name: "step limit",
  allowed: [
    "a whole number from 1 on",
    '"unlimited"',
    '{ "max": …, "onExhausted": "raise" or "synthesize" }',
  ],
  read: stepsOf,
};

/**
 * What a settings file says about the limits, and what of it was refused. Policies that it leaves out
 * for a tool are those of `weaker`, the next source.
 */
export function readFileClaims(
  { path, values }: SettingsFile,
  weaker: Claims = {},
): { claims: Claims; problems: string[] } {
  const claims: Record<string, unknown> = {};
  const problems: string[] = [];

  function readLimit(limit: string, parts: Parts, keys: Readonly<Record<string, LimitKey>> = {}): void {
    const said = readParts(limit, parts, values[limit], path);
    problems.push(...said.problems);
    for (const [part, value] of Object.entries(said.values)) {
      claims[keys[part] ?? `${limit}.${part}`] = value;
    }
  }

  function readPlain(key: LimitKey, { name, allowed, read }: Part, value: unknown): void {
    if (value === undefined) return;
    const said = read(value);
    if (said !== undefined) claims[key] = said;
    else problems.push(refusal(name, value, `"${key}" of ${path}`, either(allowed)));
  }

  readLimit("turns", turnParts, turnKeys);
  const { known, unknown } = sorted(values.steps, ["max", "onExhausted"]);
  problems.push(...unknown.map((key) => unknownSetting(`steps.${key}`, path, ["max", "onExhausted"])));
  readPlain("steps", steps, known);
  for (const budget of budgetNames) readLimit(budget, settingsOf(budget));
  const tools = readTools(values.tools, path, weaker);
  Object.assign(claims, tools.claims);
  problems.push(...tools.problems);
  readPlain("boundary", budgetSettings.boundary, values.boundary);
  return { claims: claims as Claims, problems };
}

/** An object with its unknown keys set apart; anything else as it is. */
function sorted(value: unknown, keys: readonly string[]): { known: unknown; unknown: string[] } {
  if (!isObject(value)) return { known: value, unknown: [] };
  const known = Object.entries(value).filter(([key]) => keys.includes(key));
  return {
    known: Object.fromEntries(known),
    unknown: Object.keys(value).filter((key) => !keys.includes(key)),
  };
}
