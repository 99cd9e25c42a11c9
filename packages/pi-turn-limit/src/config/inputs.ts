import { costLimitInput, timeLimitInput, tokenLimitInput } from "./budget-inputs.ts";
import { parseGrace, parseSteps, parseTurns } from "./grammar.ts";
import type { Claims, LimitKey, LimitValues } from "./LimitValues.ts";
import type { LimitCommand, TextInput } from "./TextInput.ts";

export const turnLimitInput: LimitCommand = {
  key: "turns",
  name: "turn limit",
  command: "turn-limit",
  flag: "max-turns",
  env: "PI_MAX_TURNS",
  allowed: "a whole number from 0 on, or unlimited; a grace may follow (25 grace 3)",
  unsaid: { grace: 0 },
  suggestions: ["10", "25", "50", "100", "unlimited", "25 grace 3"],
  parse: parseTurns,
  format: formatTurns,
  describe: describeTurns,
};

const turnGraceInput: TextInput = {
  name: "turn grace",
  flag: "turn-grace",
  env: "PI_TURN_GRACE",
  allowed: "a whole number from 0 on",
  parse: parseGrace,
};

export const stepLimitInput: LimitCommand = {
  key: "steps",
  name: "step limit",
  command: "step-limit",
  flag: "max-steps",
  env: "PI_MAX_STEPS",
  allowed: "a whole number from 1 on, or unlimited; a policy may follow the number (40 raise, 40 synthesize)",
  unsaid: {},
  suggestions: ["20", "40", "100", "40 synthesize", "unlimited"],
  parse: parseSteps,
  format: formatSteps,
  describe: (values, sourceOf) => `${formatSteps(values)} (${sourceOf("steps")})`,
};

/** Of two texts from the same kind of source, the one that is about less comes first: it wins. */
export const textInputs: readonly TextInput[] = [
  turnGraceInput,
  turnLimitInput,
  stepLimitInput,
  tokenLimitInput,
  costLimitInput,
  timeLimitInput,
];

/** The limits that have a command, in the order in which they are shown. */
export const limitCommands: readonly LimitCommand[] = [
  turnLimitInput,
  stepLimitInput,
  tokenLimitInput,
  costLimitInput,
  timeLimitInput,
];

function formatTurns({ turns, grace }: Claims): string {
  const parts = [turns, grace && turns !== "unlimited" ? `grace ${grace}` : undefined];
  return parts.filter((part) => part !== undefined).join(" ");
}

function describeTurns({ turns, grace }: LimitValues, sourceOf: (key: LimitKey) => string): string {
  const [limitFrom, graceFrom] = [sourceOf("turns"), sourceOf("grace")];
  if (grace === 0 || limitFrom === graceFrom) return `${formatTurns({ turns, grace })} (${limitFrom})`;
  return `${turns} (${limitFrom}), grace ${grace} (${graceFrom})`;
}

function formatSteps({ steps }: Claims): string {
  if (steps === undefined || steps === "unlimited") return "unlimited";
  return steps.onExhausted === "raise" ? String(steps.max) : `${steps.max} ${steps.onExhausted}`;
}
