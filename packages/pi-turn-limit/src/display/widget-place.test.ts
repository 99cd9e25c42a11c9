import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { Widget } from "./widget.ts";

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

const turns = (used: number) => [{ limit: "turns", used, max: 25 }];

test("the line stays above a question when it changes", () => {
  const { ctx, ask, seen } = screen();
  const widget = new Widget();
  widget.show(ctx, turns(1));
  ask();
  widget.show(ctx, turns(2));
  expect(seen()).toEqual([" Turns: 2/25", "Continue?"]);
});

test("the line comes back after it was taken away, by the extension or by Pi", () => {
  const { ctx, cleared, seen } = screen();
  const widget = new Widget();
  widget.show(ctx, turns(1));
  widget.clear(ctx);
  expect(seen()).toEqual([]);
  widget.show(ctx, turns(1));
  expect(seen()).toEqual([" Turns: 1/25"]);
  cleared();
  widget.show(ctx, turns(2));
  expect(seen()).toEqual([" Turns: 2/25"]);
  widget.show(ctx, turns(2), true);
  expect(seen()).toEqual([" Last run · Turns: 2/25"]);
});
