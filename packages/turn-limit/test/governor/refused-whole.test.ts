import { expect, test } from "vitest";
import { createGovernor, type GovernorState, isInvalidLimit } from "../../src/index.ts";
import { whyRefused } from "../helpers/runs.ts";

test("settings with a limit that cannot tell its usage change nothing, also if that shows late", () => {
  let reads = 0;
  const limits = (isFaulty: boolean) => [
    {
      name: "own",
      max: isFaulty ? 5 : 1,
      before: "step" as const,
      used: ({ steps }: { steps: number }) => {
        reads += 1;
        if (isFaulty && reads > 1) throw new Error("boom");
        return steps;
      },
    },
  ];
  const governor = createGovernor({ turns: { max: 2, onExhausted: "stop" }, limits: limits(false) });
  governor.prompt();
  governor.beforeTurn();
  governor.beforeStep({ tool: "a" });
  governor.beforeStep({ tool: "a" });
  governor.turnEnded();
  const before = governor.state;
  reads = 0;
  expect(() => governor.configure({ turns: 1_000, limits: limits(true) })).toThrow('The limit "own"');
  expect(governor.state).toEqual(before);
  expect(governor.beforeTurn().kind).not.toBe("proceed");
});

test("a state without a checksum is refused, whatever else is in it", () => {
  const governor = createGovernor({ turns: 2 });
  const { checksum: _, ...state } = governor.state;
  const odd = { ...state, note: new Map() } as unknown as GovernorState;
  expect(whyRefused(() => createGovernor({ state: odd })).setting).toBe("state.checksum");
});

test("usage is read once: what was checked is what is counted", () => {
  let reads = 0;
  const usage = {
    get input() {
      reads += 1;
      return reads > 1 ? Number.NaN : 5;
    },
    output: 1,
  };
  const governor = createGovernor({ tokens: 10 });
  governor.prompt();
  governor.beforeTurn();
  governor.turnEnded({ usage });
  expect(governor.view.totals).toMatchObject({ input: 5, output: 1 });
});

test("what ended is checked, too", () => {
  const governor = createGovernor({ repeats: 2 });
  for (const bad of [undefined, null, 5, { id: 5, result: 1 }, { ids: "1", result: 1 }]) {
    const act = () => governor.stepEnded(bad as { result: unknown });
    expect(whyRefused(act).setting).toMatch(/^stepEnded/);
  }
  expect(() => governor.overdue("x" as unknown as boolean)).toThrow("canGoOn");
  expect(isInvalidLimit(whyRefused(() => governor.overdue(5 as unknown as boolean)))).toBe(true);
});
