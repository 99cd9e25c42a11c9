/** What a person can do while the table is live. */
export type Key = "up" | "down" | "yes" | "no" | "quit";

const KEYS: Readonly<Record<string, Key>> = {
  "\x1b[A": "up",
  "\x1bOA": "up",
  "\x1b[B": "down",
  "\x1bOB": "down",
  y: "yes",
  Y: "yes",
  n: "no",
  N: "no",
  q: "quit",
  Q: "quit",
  "\x03": "quit",
};

// A sequence of a terminal is one key, whatever letters are in it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys begin with them
const ONE_KEY = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)|[\s\S]/g;

/** The keys in what a terminal sent. Others are left out. */
export function keysIn(input: string): Key[] {
  return (input.match(ONE_KEY) ?? []).flatMap((key) => (Object.hasOwn(KEYS, key) ? [KEYS[key] as Key] : []));
}
