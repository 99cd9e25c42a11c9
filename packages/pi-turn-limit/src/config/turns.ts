import { DEFAULT_MAX_TURNS, type Max } from "turn-limit";
import type { LimitSetting } from "./LimitSetting.ts";
import { admitsMore, parseMaxJson, parseMaxText } from "./max-grammar.ts";

/** The turn limit as a person configures it. */
export const turns: LimitSetting<Max> = {
  key: "turns",
  name: "turn limit",
  command: "turn-limit",
  flag: "max-turns",
  env: "PI_MAX_TURNS",
  default: DEFAULT_MAX_TURNS,
  allowedText: "a whole number from 0 on, or unlimited",
  allowedJson: 'a whole number from 0 on, "unlimited", or { "max": … } with one of these',
  suggestions: ["10", "25", "50", "100", "unlimited"],
  parseText: parseMaxText,
  parseJson: (value) => parseMaxJson(isMaxObject(value) ? value.max : value),
  format: String,
  isLooser: admitsMore,
};

function isMaxObject(value: unknown): value is { max: unknown } {
  return typeof value === "object" && value !== null && Object.keys(value).join() === "max";
}
