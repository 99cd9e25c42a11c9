import type { Tell } from "turn-limit";
import { quoted, requireTell, saidTell, TELL_ALLOWED, tellText } from "../core.ts";
import type { Setting } from "./setting.ts";

/** The key of when the model is told what it has left, in settings of every source. */
export const TELL = "tell";
/** Its flag and its variable. */
export const TELL_INPUT = {
  name: "tell setting",
  flag: TELL,
  env: "PI_TELL",
  allowed: TELL_ALLOWED,
} as const;

/** Some of what a person may write. */
export const TELL_WORDS: readonly string[] = ["on", "off", "every-turn"];

/** When the model is told what it has left, as a person writes it: `off`, `every-turn`, `80,90,95`. */
export const tellSetting: Setting<string> = {
  name: () => TELL_INPUT.name,
  initial: "off",
  allowed: [TELL_ALLOWED],
  schema: {},
  read: (value) => (typeof value === "string" ? readTell(value) : undefined),
  isValid: (value) => typeof value === "string" && readTell(value) === value,
  format: String,
  objection: () => "only you say what the model is told",
};

/** Reads what a person types. */
export function readTell(text: string): string | undefined {
  const tell = saidTell(text);
  return tell === undefined ? undefined : tellText(tell);
}

/** What is wrong with a text that says nothing of it. */
export function whyNotTold(text: string): string {
  return `Use ${TELL_ALLOWED}, not ${quoted(text)}.`;
}

/** The setting as the core has it, in the words of the person if they have some. `own`: what their file says. */
export function toldBy(text: unknown, own: Tell | undefined): Tell {
  const tell = saidTell(String(text)) ?? false;
  const message = own ? own.message : undefined;
  return tell && message !== undefined ? requireTell({ ...tell, message }, TELL) : tell;
}
