import { objectIn, parsed } from "../gateway/protocols/parts-of-json.ts";
import type { Json } from "../gateway/protocols/protocol.ts";

const STRING = /"(?:\\.|[^"\\])*"/.source;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//.source;

/** A JSON object in which comments and commas at the end are allowed. If there is none, it is empty. */
export function settingsIn(text: string | undefined): Json {
  const bare = (text ?? "")
    .replace(/^\uFEFF/, "")
    .replace(new RegExp(`(${STRING})|${COMMENT}`, "g"), "$1")
    .replace(new RegExp(`(${STRING})|,(?=\\s*[}\\]])`, "g"), "$1");
  return objectIn(parsed(bare));
}

/** The variables in a `.env` file. */
export function envIn(text: string | undefined): Record<string, string> {
  const lines =
    text?.matchAll(/^\s*(?:export\s+)?(\w+)\s*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\n]*))/gm) ?? [];
  return Object.fromEntries(
    [...lines].map(([, name, double, single, bare]) => [name, double ?? single ?? bare?.trim()]),
  );
}

const TEXT = /"((?:\\.|[^"\\])*)"|'([^']*)'/.source;
const NAME = /[\w-]+|"[^"]*"|'[^']*'/.source;
const KEY = `(?:${NAME})(?:\\s*\\.\\s*(?:${NAME}))*`;
const TABLE = new RegExp(`^\\s*\\[\\s*(${KEY})\\s*\\]`);
const ENTRY = new RegExp(`^\\s*(${KEY})\\s*=\\s*(.*)$`);
const INLINE = new RegExp(`(${KEY})\\s*=\\s*(?:${TEXT})`, "g");
const VALUE = new RegExp(`^(?:${TEXT})`);

/**
 * The texts in a TOML file, by the full names of their keys, such as `model_providers.mine.base_url`. Everything else,
 * also text over several lines, is left out.
 */
export function tomlTexts(toml: string | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  let table = "";
  for (const line of toml?.split("\n") ?? []) {
    const header = TABLE.exec(line)?.[1];
    if (header !== undefined) table = `${nameOf(header)}.`;
    const [, key, value] = ENTRY.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const name = table + nameOf(key);
    const text = VALUE.exec(value);
    if (text) texts.set(name, textOf(text[1], text[2]));
    if (!value.startsWith("{")) continue;
    for (const [, inner = "", basic, literal] of value.matchAll(INLINE)) {
      texts.set(`${name}.${nameOf(inner)}`, textOf(basic, literal));
    }
  }
  return texts;
}

function nameOf(key: string): string {
  return [...key.matchAll(new RegExp(NAME, "g"))].map(([name]) => name.replace(/^["']|["']$/g, "")).join(".");
}

function textOf(basic: string | undefined, literal: string | undefined): string {
  return basic?.replace(/\\(["\\])/g, "$1") ?? literal ?? "";
}
