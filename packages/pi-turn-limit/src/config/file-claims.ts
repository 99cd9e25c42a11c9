import { countOf, headlessOf, isObject, maxOf, stepsOf } from "./grammar.ts";
import type { Claims, LimitKey } from "./LimitValues.ts";
import { type SettingsFile, unknownSetting } from "./settings-file.ts";

/** The limits a settings file can name. */
export const limitKeysOfFiles = ["turns", "steps"] as const;

const WHOLE = "a whole number from 0 on";

interface Field {
  readonly path: string;
  readonly name: string;
  readonly key: LimitKey;
  readonly allowed: string;
  read(value: unknown): unknown;
}

const max: Omit<Field, "path"> = {
  name: "turn limit",
  key: "turns",
  allowed: `${WHOLE}, or "unlimited"`,
  read: maxOf,
};
const turnFields: readonly Field[] = [
  { ...max, path: "turns.max" },
  { path: "turns.grace", name: "turn grace", key: "grace", allowed: WHOLE, read: (value) => countOf(value) },
  {
    path: "turns.headless",
    name: "headless policy",
    key: "headless",
    allowed: '"stop" or "synthesize"',
    read: headlessOf,
  },
  {
    path: "turns.message",
    name: "wrap-up message",
    key: "wrapUpMessage",
    allowed: "a text",
    read: (value) => (typeof value === "string" && value.trim() !== "" ? value : undefined),
  },
];
const plainTurns: Field = {
  ...max,
  path: "turns",
  allowed: `${WHOLE}, "unlimited", or { "max": …, "grace": …, "headless": …, "message": … }`,
};
const steps: Field = {
  path: "steps",
  name: "step limit",
  key: "steps",
  allowed: 'a whole number from 1 on, "unlimited", or { "max": …, "onExhausted": "raise" or "synthesize" }',
  read: stepsOf,
};

/** What a settings file says about the limits, and what of it was refused. */
export function readFileClaims(file: SettingsFile): { claims: Claims; problems: string[] } {
  const claims: Record<string, unknown> = {};
  const problems: string[] = [];

  function read(field: Field, value: unknown): void {
    if (value === undefined) return;
    const read = field.read(value);
    if (read !== undefined) claims[field.key] = read;
    else problems.push(refusal(field.name, value, `"${field.path}" of ${file.path}`, field.allowed));
  }

  const { turns } = file.values;
  if (isObject(turns) && Object.keys(turns).length > 0) {
    for (const key of Object.keys(turns)) {
      const field = turnFields.find(({ path }) => path === `turns.${key}`);
      if (field) read(field, turns[key]);
      else problems.push(unknownSetting(`turns.${key}`, file.path, ["max", "grace", "headless", "message"]));
    }
  } else {
    read(plainTurns, turns);
  }
  const { known, unknown } = sorted(file.values.steps, ["max", "onExhausted"]);
  problems.push(...unknown.map((key) => unknownSetting(`steps.${key}`, file.path, ["max", "onExhausted"])));
  read(steps, known);
  return { claims, problems };
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

/** A sentence that says what was wrong, where it came from and what is allowed. */
export function refusal(name: string, value: unknown, source: string, allowed: string): string {
  return `Invalid ${name} ${shown(value)} from ${source}. Allowed: ${allowed}. It is ignored.`;
}

// JSON has no word for a number too large to be one, though JSON.parse makes one of it.
function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}
