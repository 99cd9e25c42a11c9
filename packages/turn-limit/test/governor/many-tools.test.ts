import { afterEach, expect, test, vi } from "vitest";
import { Meter } from "../../src/core/meter/meter.ts";
import { createGovernor } from "../../src/index.ts";
import { prompted, turnTaking } from "../helpers/runs.ts";

afterEach(() => vi.restoreAllMocks());

const TOOLS = Array.from({ length: 10_000 }, (_, index) => `tool ${index}`);

test("10,000 names of tools cost no call more: what is known of the others is never copied", () => {
  const governor = prompted({ turns: "unlimited", repeats: 3 });
  governor.beforeTurn();
  for (const tool of TOOLS) governor.beforeStep({ tool });
  const assign = countCopies();
  for (let turn = 0; turn < 50; turn += 1) {
    turnTaking(governor, { input: 1 });
    for (const tool of TOOLS.slice(0, 20)) {
      governor.beforeStep({ tool });
      governor.stepEnded({ result: turn });
    }
  }
  expect(assign.copies()).toBe(0);
  expect(governor.view.totals.steps).toBe(11_000);
});

test("in each run what is known of 10,000 tools is copied at most once, however many limits start over", () => {
  const tools = Object.fromEntries(TOOLS.slice(0, 20).map((tool) => [tool, 1]));
  const governor = prompted({ turns: "unlimited", tools, canAsk: true });
  governor.beforeTurn();
  for (const tool of TOOLS) governor.beforeStep({ tool });
  const assign = countCopies();
  governor.settled();
  governor.prompt();
  governor.beforeTurn();
  for (const tool of [...TOOLS.slice(0, 20), ...TOOLS.slice(0, 20)]) governor.beforeStep({ tool });
  expect(assign.copies()).toBe(1);
  expect(governor.beforeTurn().kind).toBe("ask");
  governor.answer(true);
  for (const tool of TOOLS.slice(0, 20)) expect(governor.beforeStep({ tool }).kind).toBe("proceed");
  expect(assign.copies()).toBe(2);
});

test("a state knows the calls of 10,000 tools as often as there are moments to count from, not for each limit", () => {
  const tools = Object.fromEntries(TOOLS.slice(0, 100).map((tool) => [tool, 500]));
  const governor = prompted({ turns: "unlimited", tools });
  governor.beforeTurn();
  for (const tool of TOOLS) governor.beforeStep({ tool });
  const { state } = governor;
  expect(state.readings).toHaveLength(1);
  expect(JSON.stringify(state).length).toBeLessThan(20 * TOOLS.length + 50_000);
});

test("16,000 calls nested in one leave a state of a few kilobytes", () => {
  const governor = createGovernor({ turns: "unlimited", repeats: 20 });
  governor.prompt();
  governor.beforeTurn();
  governor.beforeStep({ id: "outer", tool: "batch" });
  for (let call = 0; call < 16_000; call += 1) {
    governor.beforeStep({ id: `${call}`, tool: "read", args: { page: call } });
    governor.stepEnded({ id: `${call}`, result: { page: call, text: "x".repeat(100) } });
  }
  expect(governor.view.totals.steps).toBe(16_001);
  expect(JSON.stringify(governor.state).length).toBeLessThan(12_000);
});

/** How often the calls by tool are copied from now on. */
function countCopies(): { copies(): number } {
  const seen = new Set<object>();
  const { call } = Meter.prototype;
  vi.spyOn(Meter.prototype, "call").mockImplementation(function (this: Meter, ...args) {
    seen.add(this.current.calls);
    call.apply(this, args);
    seen.add(this.current.calls);
  });
  return { copies: () => seen.size - 1 };
}
