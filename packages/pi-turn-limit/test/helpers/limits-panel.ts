import { KeybindingsManager, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import type { LimitRow } from "../../src/display/limits-panel/limit-rows.ts";
import type { ScreenTheme } from "../../src/display/screen.ts";
import type { Matches } from "../../src/person/key-press.ts";

const pisKeys = new KeybindingsManager(TUI_KEYBINDINGS);

/** Pi's default key bindings. */
export const matches: Matches = (data, binding) => pisKeys.matches(data, binding);

/** A theme without colours. */
export const plain: ScreenTheme = {
  fg: (_colour, text) => text,
  bg: (_colour, text) => text,
  bold: (text) => text,
  inverse: (text) => text,
};

/** A theme that names its colours. */
export const named: ScreenTheme = {
  ...plain,
  fg: (colour, text) => (text.trim() === "" ? text : `<${colour}>${text}</>`),
  inverse: (text) => `[${text}]`,
};

/** A limit, for tests. */
export function limit(parts: Partial<LimitRow> = {}): LimitRow {
  return {
    key: "turns",
    label: "Turns",
    used: "12",
    max: "25",
    share: 12 / 25,
    source: "default",
    file: "",
    policy: "",
    text: "25 grace 3",
    examples: "For example 25, or unlimited.",
    help: ["25: a whole number", "default: what is configured"],
    agents: [],
    set: () => ({ rows: [] }),
    save: () => ({ isSaved: true, text: "" }),
    ...parts,
  };
}

/** One limit of each kind. */
export const limits: readonly LimitRow[] = [
  limit({ policy: "grace 3" }),
  limit({ key: "steps", label: "Steps", used: "31", max: "∞", share: undefined }),
  limit({
    key: "tokens",
    label: "Tokens",
    used: "182k",
    max: "200k",
    share: 0.91,
    source: "your settings",
    file: "/home/someone/.pi/agent/turn-limit.json",
  }),
  limit({
    key: "tools.bash",
    label: "bash calls",
    used: "10",
    max: "10",
    share: 1,
    source: "/step-limit in this session",
    policy: "synthesize",
  }),
];

/** Limits that accept digits or `unlimited`, and remember them. */
export function settable(): { rows: () => readonly LimitRow[]; said: string[] } {
  const said: string[] = [];
  const setBy = (key: string) => (text: string) => {
    if (!/^(\d+|unlimited)$/.test(text)) return { refusal: `${JSON.stringify(text)} is not allowed.` };
    said.push(text);
    return { rows: [key] };
  };
  const keys = ["turns", "steps", "tokens"];
  return { said, rows: () => keys.map((key) => limit({ key, label: key, set: setBy(key) })) };
}
