import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import { limit, limits, named, plain } from "../../../test/helpers/limits-panel.ts";
import { fieldWith, selectedField } from "../text-field.ts";
import type { LimitRow } from "./limit-rows.ts";
import { JUST_OPENED, type PanelState } from "./panel-state.ts";
import { renderPanel } from "./render-panel.ts";

const editingTurns: PanelState = { ...JUST_OPENED, selected: "turns", field: fieldWith("25 grace 3") };

/** The panel between its two rules, without the blanks that end its lines. */
function panel(width: number, state: PanelState = JUST_OPENED, rows: readonly LimitRow[] = limits) {
  const lines = renderPanel(rows, state, width, plain);
  expect([lines[0], lines.at(-1)]).toEqual(["─".repeat(width), "─".repeat(width)]);
  return lines
    .slice(1, -1)
    .map((line) => line.replaceAll("\x1b_pi:c\x07", "").trimEnd())
    .join("\n");
}

test("agents that took some of a limit are under its row", () => {
  const agents = [
    { name: "Look into it", used: "8" },
    { name: "Look again", used: "4" },
  ];
  expect(panel(60, JUST_OPENED, [limit({ agents }), limit({ key: "steps", label: "Steps" })])).toContain(
    `
    Look into it  8
    Look again  4
  Steps`,
  );
});

describe("at each width it shows what there is room for", () => {
  test("120 columns: everything", () => {
    expect(panel(120)).toBe(
      `
Limits

→ Turns       █████████▋              12/25     48 %  grace 3     default
  Steps                               31/∞                        default
  Tokens      ██████████████████▎   182k/200k   91 %              your settings
  bash calls  ████████████████████    10/10    100 %  synthesize  /step-limit in this session

From default · grace 3
↑↓ move · Enter edits · u unlimited · s saves to your settings · Escape closes`.slice(1),
    );
  });

  test("80 columns: no source, but for the selected limit", () => {
    expect(panel(80)).toBe(
      `
Limits

→ Turns       █████████▋              12/25     48 %  grace 3
  Steps                               31/∞
  Tokens      ██████████████████▎   182k/200k   91 %
  bash calls  ████████████████████    10/10    100 %  synthesize

From default · grace 3
↑↓ move · Enter edits · u unlimited · s saves to your settings · Escape closes`.slice(1),
    );
  });

  test("60 columns: a shorter bar", () => {
    expect(panel(60, { ...JUST_OPENED, selected: "tokens" })).toBe(
      `
Limits

  Turns       ███████▋            12/25     48 %  grace 3
  Steps                           31/∞
→ Tokens      ██████████████▌   182k/200k   91 %
  bash calls  ████████████████    10/10    100 %  synthesize

From your settings, /home/someone/.pi/agent/turn-limit.json
↑↓ move · Enter edits · u unlimited
s saves to your settings · Escape closes`.slice(1),
    );
  });

  test("40 columns: no policy, but for the selected limit", () => {
    expect(panel(40)).toBe(
      `
Limits

→ Turns       ███▉        12/25     48 %
  Steps                   31/∞
  Tokens      ███████▎  182k/200k   91 %
  bash calls  ████████    10/10    100 %

From default · grace 3
↑↓ move · Enter edits · u unlimited
s saves to your settings · Escape closes`.slice(1),
    );
  });

  test("30 columns: no bar", () => {
    expect(panel(30)).toBe(
      `
Limits

→ Turns         12/25     48 %
  Steps         31/∞
  Tokens      182k/200k   91 %
  bash calls    10/10    100 %

From default · grace 3
↑↓ move · Enter edits
u unlimited
s saves to your settings
Escape closes`.slice(1),
    );
  });
});

test("what the columns leave out of the selected limit stands below, whole", () => {
  const long = limit({
    label: "mcp__github__create_pull_request calls",
    source: "project settings",
    file: "/srv/work/customers/someone/a-long-name/.pi/turn-limit.json",
    policy: "stop reserve 10k",
  });
  const screen = panel(60, JUST_OPENED, [long]);
  expect(screen).toContain(
    `
mcp__github__create_pull_request calls · From project
settings,
/srv/work/customers/someone/a-long-name/.pi/turn-limit.json
· stop reserve 10k
`,
  );
});

test("no line is wider than the terminal, whatever it has to show", () => {
  const odd = [
    ...limits,
    limit({
      key: "wide",
      label: "时间限制的名字很长很长很长很长",
      source: "/家/👩‍👩‍👧/设置.json",
      share: 42,
    }),
    limit({ key: "broken", label: "a\nb\x1b[31m", used: "1,234,567,890", max: "9,999,999,999", share: 0.12 }),
  ];
  const states: PanelState[] = [
    { ...JUST_OPENED, selected: "wide" },
    editingTurns,
    { ...JUST_OPENED, selected: "wide", field: { before: "时间".repeat(40), after: "👍".repeat(40) } },
    { ...JUST_OPENED, selected: "wide", field: selectedField("时间".repeat(40)) },
    { ...JUST_OPENED, selected: "wide", asks: "unlimited" },
    {
      ...JUST_OPENED,
      selected: "broken",
      field: fieldWith("x"),
      refusal: `No: ${"/very/long/path".repeat(9)}\nis not.`,
    },
  ];
  for (const state of states) {
    for (let width = 1; width <= 130; width++) {
      for (const line of renderPanel(odd, state, width, plain)) {
        expect(visibleWidth(line), `${width}: ${line}`).toBeLessThanOrEqual(width);
        expect(line).not.toContain("\n");
      }
    }
  }
});

test("a limit is green, yellow at 80 % and more, and red at its end", () => {
  const at = (share: number) => renderPanel([limit({ share })], JUST_OPENED, 80, named)[3];
  expect(at(0.79)).toMatch(/<success>█+.*<\/>.*<text>12\/25<\/> {2}<text>79 %/);
  expect(at(0.8)).toMatch(/<warning>█+.*<\/>.*<warning>12\/25<\/> {2}<warning>80 %/);
  expect(at(1)).toMatch(/<error>█{20}<\/> {2}<error>12\/25<\/> {2}<error>100 %/);
  expect(at(1.5)).toMatch(/<error>█{20}<\/>.*150 %/);
});

test("it is not full before the end, and not empty once begun", () => {
  const line = (share: number) => panel(80, JUST_OPENED, [limit({ share })]).split("\n")[2];
  expect(line(0.9999)).toMatch(/█{19}▉ .* 99 %/);
  expect(line(0.0001)).toMatch(/Turns {2}▏ .* <1 %/);
  expect(line(0)).toMatch(/^→ Turns {24}12\/25 {2}0 %/);
});

test("a limit that is being edited shows the text with the cursor, and what it can be", () => {
  const field = { before: "25 gr", after: "ace 3" };
  const lines = renderPanel(limits, { ...editingTurns, field }, 80, named);
  expect(lines[3]).toContain("25 gr\x1b_pi:c\x07[a]ce 3");
  expect(lines[4]?.trim()).toBe("<dim>For example 25, or unlimited.</>");
  expect(lines.at(-2)).toBe("<dim>Enter sets · Escape cancels</>");
});

test("a text that is longer than its field shows the part with the cursor", () => {
  const before = "0123456789".repeat(9);
  expect(panel(40, { ...editingTurns, field: { before, after: "" } })).toContain("Turns       56789");
  const line = panel(40, { ...editingTurns, field: { before: "", after: before } }).split("\n")[2];
  expect(line).toBe("→ Turns       01234567890123456789012345");
});

test("a refusal is shown in the error colour below the limit", () => {
  const lines = renderPanel(limits, { ...editingTurns, refusal: "25 is too many." }, 80, named);
  expect(lines[4]?.trim()).toBe("<error>25 is too many.</>");
});

test("what was being edited is not shown at another limit when its own goes away", () => {
  expect(panel(80, { ...editingTurns, selected: "gone", refusal: "No." })).toBe(panel(80));
});

test("only so many limits are shown as there is room for, around the selected one", () => {
  const many = Array.from({ length: 30 }, (_, index) => limit({ key: `${index}`, label: `tool ${index}` }));
  const shown = (selected: string) =>
    renderPanel(many, { ...JUST_OPENED, selected }, 80, plain, {
      title: "Limits",
      height: 12,
      focused: true,
    });
  expect(shown("0")).toHaveLength(12);
  expect(shown("15").find((line) => line.startsWith("→"))).toContain("tool 15");
  expect(shown("29").at(-4)).toContain("→ tool 29");
  expect(shown("15")[1]).toBe("Limits  16 of 30");
});

test("without limits it says so", () => {
  expect(panel(80, JUST_OPENED, [])).toBe("Limits\n\nNo limits.\n\n↑↓ move · Escape closes");
});
