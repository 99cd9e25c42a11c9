import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Boundary } from "turn-limit";
import { expect, test } from "vitest";
import { named } from "../../test/helpers/named.ts";
import { Counters, widgetLine } from "./counters.ts";

const theme = { fg: (colour: string, text: string) => `<${colour}>${text}</${colour}>` };
const standings: Boundary[] = [
  { ...named("turns"), used: 12, max: 25 },
  { ...named("tokens"), used: 182_345, max: 200_000 },
  { ...named("cost"), used: 0.93, max: 5 },
  { ...named("tools.bash"), used: 30, max: 30 },
];

function line(width: number): string {
  return widgetLine(standings, width, theme).replaceAll(/<[^>]*>/g, "");
}

test("where there is room, every limit that is set is named", () => {
  expect(line(80)).toBe(" Turns: 12/25 · Tokens: 182.3k/200k · Cost: $0.93/$5.00 · bash: 30/30");
});

test("where there is not, it stays one line, with the turns and what is nearest to its end", () => {
  expect(line(60)).toBe(" Turns: 12/25 · Tokens: 182.3k/200k · bash: 30/30 · …");
  expect(line(40)).toBe(" Turns: 12/25 · bash: 30/30 · …");
  expect(line(20)).toBe(" Turns: 12/25 · …");
});

test("a budget that agents draw from says how many", () => {
  const drawn = [...standings.slice(0, 1), { ...named("cost"), used: 1.42, max: 5, agents: 3 }];
  expect(widgetLine(drawn, 80, theme)).toBe(" Turns: 12/25 · Cost: $1.42/$5.00 · 3 agents");
});

test("how many agents draw is said also where their budget is left out", () => {
  const drawn = [
    { ...named("turns"), used: 1, max: 25 },
    { ...named("cost per day"), used: 4, max: 5 },
    { ...named("cost per week"), used: 4, max: 50, agents: 3 },
  ];
  const plain = (width: number) => widgetLine(drawn, width, { fg: (_colour, text) => text });
  expect(plain(60)).toBe(" Turns: 1/25 · Cost today: $4.00/$5.00 · … · 3 agents");
  for (let width = 1; width < 90; width += 1) expect(plain(width).length).toBeLessThanOrEqual(width);
});

test("it never is wider than the terminal", () => {
  for (let width = 1; width < 90; width += 1) expect(line(width).length).toBeLessThanOrEqual(width);
});

test("at 80 % and more a limit has the warning colour, and at its end the error colour", () => {
  expect(widgetLine(standings, 80, theme)).toBe(
    " Turns: 12/25 · <warning>Tokens: 182.3k/200k</warning> · Cost: $0.93/$5.00 · <error>bash: 30/30</error>",
  );
});

test("without a limit there is nothing to warn of, and a limit of 0 is at its end", () => {
  expect(widgetLine([{ ...named("turns"), used: 99, max: "unlimited" }], 80, theme)).toBe(" Turns: 99/∞");
  expect(widgetLine([{ ...named("turns"), used: 0, max: 0 }], 80, theme)).toBe(" <error>Turns: 0/0</error>");
});

interface Component {
  render(width: number): string[];
  dispose(): void;
}

/** Pi's lines above the editor: what is set anew comes last. */
function screen() {
  const lines = new Map<string, Component>();
  const theme = { fg: (_colour: string, text: string) => text };
  const setWidget = (key: string, create?: (terminal: object, theme: object) => Component) => {
    lines.get(key)?.dispose();
    lines.delete(key);
    if (create) lines.set(key, create({ requestRender() {} }, theme));
  };
  const ctx = { hasUI: true, mode: "tui", ui: { setWidget } } as unknown as ExtensionContext;
  const question: Component = { render: () => ["Continue?"], dispose() {} };
  return {
    ctx,
    ask: () => setWidget("question", () => question),
    cleared: () => {
      for (const key of [...lines.keys()]) setWidget(key);
    },
    seen: () => [...lines.values()].flatMap((line) => line.render(80)),
  };
}

/** The line of an agent that has taken some turns. */
function counters(ctx: ExtensionContext) {
  const shown = { current: [{ ...named("turns"), used: 1, max: 25 }] };
  return { shown, line: new Counters(ctx, shown) };
}

const turns = (used: number) => [{ ...named("turns"), used, max: 25 }];

test("the line stays above a question when it changes", () => {
  const { ctx, ask, seen } = screen();
  const { shown, line } = counters(ctx);
  line.show();
  ask();
  shown.current = turns(2);
  line.show();
  expect(seen()).toEqual([" Turns: 2/25", "Continue?"]);
});

test("the line comes back after it was taken away, by the extension or by Pi", () => {
  const { ctx, cleared, seen } = screen();
  const { shown, line } = counters(ctx);
  line.show();
  line.clear();
  expect(seen()).toEqual([]);
  line.show();
  expect(seen()).toEqual([" Turns: 1/25"]);
  cleared();
  shown.current = turns(2);
  line.show();
  expect(seen()).toEqual([" Turns: 2/25"]);
});

test("a limit that starts over is shown at 0 before its next turn", () => {
  const { ctx, seen } = screen();
  const { line } = counters(ctx);
  line.showStartedOver("turns");
  expect(seen()).toEqual([" Turns: 0/25"]);
});
