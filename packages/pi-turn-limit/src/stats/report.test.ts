import { expect, test } from "vitest";
import type { History } from "./history.ts";
import { report } from "./report.ts";
import type { PromptCost } from "./session-counter.ts";
import { summarize } from "./summary.ts";

const nothing: PromptCost = { turns: 1, steps: 0, tokens: 100, cacheTokens: 0, dollars: 0.01 };

function history(costs: readonly Partial<PromptCost>[], more: Partial<History> = {}): History {
  const prompts = costs.map((cost) => ({ ...nothing, ...cost }));
  const counts = { sessions: 1, unanswered: 0, skippedLines: 0, unreadableFiles: 0 };
  return { folder: "/agent/sessions", ...counts, ...more, prompts };
}

/** One prompt for each number of turns, 1 or more. */
function upTo(turns: number): Partial<PromptCost>[] {
  return Array.from({ length: turns }, (_, index) => ({ turns: index + 1 }));
}

const textOf = (costs: readonly Partial<PromptCost>[], more?: Partial<History>) =>
  report(summarize(history(costs, more)));

test("an empty history says so, and where it looked", () => {
  expect(textOf([], { sessions: 0 })).toBe("No prompts yet.\nLooked in /agent/sessions");
});

test("the percentiles are values that occurred", () => {
  const { turns } = summarize(history(upTo(200)));
  expect(turns).toEqual({ median: 100, p90: 180, p99: 198, max: 200 });
  expect(summarize(history(upTo(1))).turns).toEqual({ median: 1, p90: 1, p99: 1, max: 1 });
  expect(summarize(history(upTo(10))).turns).toMatchObject({ median: 5, p90: 9, p99: 10 });
});

test("a limit would have stopped the prompts that took more turns, and not those that took as many", () => {
  const { limits } = summarize(history(upTo(200)));
  expect(limits).toEqual([
    { limit: 5, stopped: 195, share: 0.975 },
    { limit: 10, stopped: 190, share: 0.95 },
    { limit: 25, stopped: 175, share: 0.875, default: true },
    { limit: 50, stopped: 150, share: 0.75 },
    { limit: 100, stopped: 100, share: 0.5 },
    { limit: 198, stopped: 2, share: 0.01, covers99: true },
  ]);
});

test("a limit of the table that covers 99 % is not listed twice", () => {
  const { limits } = summarize(history([{ turns: 25 }]));
  expect(limits.map(({ limit }) => limit)).toEqual([5, 10, 25, 50, 100]);
  expect(limits[2]).toMatchObject({ default: true, covers99: true });
});

test("prompts without a price are left out of the dollars, and that is said", () => {
  const costs = [{ dollars: 0.5 }, { dollars: 0 }, { dollars: 0, tokens: 0 }];
  const summary = summarize(history(costs));
  expect(summary).toMatchObject({ unpriced: 1, dollars: { median: 0, max: 0.5 } });
  expect(report(summary)).toContain("1 prompt without a known price left out of the dollars");
  expect(textOf([{ dollars: 0 }])).toMatch(/^Dollars( +-){4}$/m);
});

test("the whole report", () => {
  const costs = upTo(40).map((cost, index) => ({
    ...cost,
    steps: index * 2,
    tokens: (index + 1) * 1_234,
    cacheTokens: index * 100_000,
    dollars: (index + 1) * 0.005,
  }));
  const text = textOf(costs, { sessions: 3, unanswered: 1, skippedLines: 2, unreadableFiles: 1 });
  expect(text).toMatchInlineSnapshot(`
    "40 prompts in 3 sessions
    1 prompt without any answer left out
    2 broken lines skipped
    1 file could not be read

    Per prompt         median        p90        p99        max
    Turns                  20         36         40         40
    Steps                  38         70         78         78
    Tokens              24.7k      44.4k      49.4k      49.4k
      and cached         1.9m       3.5m       3.9m       3.9m
    Dollars             $0.10      $0.18      $0.20      $0.20

    Turns per prompt
           1  ██▉                                                  1    2.5 %
           2  ██▉                                                  1    2.5 %
         3-5  ████████▊                                            3    7.5 %
        6-10  ██████████████▋                                      5   12.5 %
       11-25  ████████████████████████████████████████████        15   37.5 %
       26-50  ████████████████████████████████████████████        15   37.5 %

    A turn limit of   would have stopped
                  5    87.5 %  35 prompts
                 10    75.0 %  30 prompts
                 25    37.5 %  15 prompts         (the default)
                 40     0.0 %  0 prompts          (covers 99 %)
                 50     0.0 %  0 prompts
                100     0.0 %  0 prompts

    At most this share would have been stopped by a limit of
               10 %   36 turns · 70 steps · 45k tokens · $0.18
                1 %   40 turns · 78 steps · 50k tokens · $0.20

    To let 99 % of your prompts finish unasked, use /turn-limit 40."
  `);
});

test.for([80, 60, 50])(
  "every line fits %d columns, with every number, also with a long history",
  (columns) => {
    const costs = upTo(3_000).map((cost) => ({
      ...cost,
      steps: 123_456,
      tokens: 987_654_321,
      cacheTokens: 987_654_321,
      dollars: 12_345.678,
    }));
    const many = history(costs, { skippedLines: 1_234_567 });
    const text = report(summarize(many), columns);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    const numbers = (said: string) => said.match(/[\d.,]+/g);
    expect(numbers(text)).toEqual(numbers(report(summarize(many))));
  },
);

test.for([
  { turns: 20, advice: "The default of 25 would have stopped none of your prompts: keep it." },
  { turns: 60, advice: "To let 99 % of your prompts finish unasked, use /turn-limit 60." },
])("the advice for prompts of up to $turns turns: $advice", ({ turns, advice }) => {
  expect(textOf(upTo(turns)).split("\n").at(-1)).toBe(advice);
});

test("a default that stops fewer than one in a hundred is to be kept", () => {
  const costs = [...Array.from({ length: 199 }, () => ({ turns: 2 })), { turns: 90 }];
  expect(textOf(costs)).toContain("The default of 25 lets 99 % of your prompts finish: keep it.");
});
