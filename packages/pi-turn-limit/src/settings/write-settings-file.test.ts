import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limitCalled } from "../../test/helpers/named.ts";
import { parseWholeLimit } from "./limit-text.ts";
import { completed, type Settings } from "./settings.ts";
import { settingsIn } from "./settings-file.ts";
import { saveLimit } from "./write-settings-file.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turn-limit-write-settings-"));
  file = join(folder, "agent", "turn-limit.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Saves what this text says about a limit, into a file with this content. */
function saved(limit: string, text: string, content?: unknown) {
  const { values, said } = inForce(limit, text);
  if (content !== undefined) {
    saveLimit(file, limitCalled("turns"), completed({}));
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  const refusal = saveLimit(file, limitCalled(limit), values);
  return { refusal, said, content: JSON.parse(readFileSync(file, "utf8")) };
}

function inForce(limit: string, text: string): { values: Settings; said: Settings | undefined } {
  const said = parseWholeLimit(limitCalled(limit), text);
  return { values: completed(said ?? {}), said };
}

test.for<[string, string, unknown]>([
  ["turns", "50", { turns: 50 }],
  ["turns", "0", { turns: 0 }],
  ["turns", "unlimited", { turns: "unlimited" }],
  ["turns", "25 stop grace 3", { turns: { max: 25, onExhausted: "stop", grace: 3 } }],
  ["steps", "40 synthesize", { steps: { max: 40, onExhausted: "synthesize" } }],
  ["tokens", "200k stop reserve 10k", { tokens: { max: 200_000, onExhausted: "stop", reserve: 10_000 } }],
  ["cost", "$0.50", { cost: 0.5 }],
  ["time", "1h30m", { time: "1h30m" }],
  ["tools.bash", "5 refuse", { tools: { bash: { max: 5, onExhausted: "refuse" } } }],
  ["tools.__proto__", "5", JSON.parse('{ "tools": { "__proto__": 5 } }')],
  ["repeats", "3", { repeats: 3 }],
  ["cost per day", "$20", { cost: { max: 20, per: "day" } }],
  ["time per month", "2h stop", { time: { max: "2h", per: "month", onExhausted: "stop" } }],
  ["turns per session", "unlimited", { turns: { max: "unlimited", per: "session" } }],
])("of %s, %s is written as %j, and read as what was set", ([limit, text, content]) => {
  const result = saved(limit, text);
  expect(result.refusal).toBeUndefined();
  expect(result.content).toEqual(content);
  const read = settingsIn({ values: result.content });
  expect(read.problems).toEqual([]);
  expect(completed(read.settings)).toEqual(completed(result.said ?? {}));
});

test("everything else in the file stays, what a text cannot say about the limit included", () => {
  const content = {
    $schema: "x",
    turns: { max: 10, onExhausted: "stop", message: "Now.", headless: "raise" },
    tools: { bash: 5, write: { max: 3, headless: "stop" } },
    odd: [null],
  };
  expect(saved("turns", "50", content).content).toEqual({
    ...content,
    turns: { max: 50, onExhausted: "ask", message: "Now.", headless: "raise" },
  });
  expect(saved("tools.write", "9", content).content).toEqual({
    ...content,
    tools: { bash: 5, write: { max: 9, headless: "stop" } },
  });
  expect(saved("turns", "unlimited", content).content.turns).toEqual({ ...content.turns, max: "unlimited" });
});

test.for<[string, string, unknown, unknown]>([
  ["cost per day", "$20", 2, [2, { max: 20, per: "day" }]],
  [
    "cost per day",
    "$20",
    { max: 2, headless: "raise" },
    [
      { max: 2, headless: "raise" },
      { max: 20, per: "day" },
    ],
  ],
  ["cost", "$3", { max: 20, per: "day" }, [3, { max: 20, per: "day" }]],
  ["cost", "$3", [{ max: 20, per: "day" }], [3, { max: 20, per: "day" }]],
  ["cost", "$3", [2], [3]],
  [
    "cost per day",
    "$30",
    { max: 20, per: "day", unpriced: "stop" },
    { max: 30, per: "day", unpriced: "stop" },
  ],
  [
    "cost per day",
    "$30 stop",
    [{ max: 20, per: "day" }, 2, { max: 90, per: "week" }, { max: 21, per: "day" }],
    [{ max: 30, per: "day", onExhausted: "stop" }, 2, { max: 90, per: "week" }],
  ],
])("%s of %s, saved beside %j, makes %j", ([limit, text, before, after]) => {
  expect(saved(limit, text, { cost: before, turns: 7 })).toMatchObject({
    refusal: undefined,
    content: { cost: after, turns: 7 },
  });
});

test.for(["{", "", "[1]", '"text"', '{ "tools": 5 }'])("a file with %j is left as it is", (damaged) => {
  saveLimit(file, limitCalled("turns"), completed({}));
  writeFileSync(file, damaged);
  const refusal = saveLimit(file, limitCalled("tools.bash"), inForce("tools.bash", "5").values);
  expect(refusal).toMatch(/was left as it is.* Nothing was saved\.$/);
  expect(refusal).toContain(file);
  expect(readFileSync(file, "utf8")).toBe(damaged);
});

test("a link to a file that is not there is left as it is, and so is what it leads to", () => {
  const target = join(folder, "elsewhere.json");
  mkdirSync(join(folder, "agent"));
  symlinkSync(target, file);
  const refusal = saveLimit(file, limitCalled("turns"), completed({}));
  expect(refusal).toBe(
    `${file}: This cannot be read: it is a link to a file that is not there. It was left as it is. Nothing was saved.`,
  );
  expect(readlinkSync(file)).toBe(target);
  expect(readdirSync(folder)).toEqual(["agent"]);
});

test("a link stays a link, and the file that it leads to has the limit", () => {
  const target = join(folder, "elsewhere.json");
  mkdirSync(join(folder, "agent"));
  writeFileSync(target, "{}");
  symlinkSync(target, file);
  expect(saveLimit(file, limitCalled("turns"), completed({ turns: { max: 7 } }))).toBeUndefined();
  expect(readlinkSync(file)).toBe(target);
  expect(JSON.parse(readFileSync(target, "utf8"))).toEqual({ turns: 7 });
});

test("where nothing can be written it says so", () => {
  writeFileSync(join(folder, "agent"), "in the way");
  const refusal = saveLimit(file, limitCalled("turns"), completed({}));
  expect(refusal).toMatch(/^Cannot write .* Nothing was saved\.$/);
  expect(readdirSync(folder)).toEqual(["agent"]);
});
