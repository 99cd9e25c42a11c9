import { strict as assert } from "node:assert";
import type { Outcome } from "../../core/governor/outcome.ts";
import type {
  Capabilities,
  ModelReply,
  Observed,
  Scenario,
  ScriptedHost,
  SeenRequest,
} from "../scripted-host.ts";
import type { TestFunction } from "../test-runner.ts";

/** What the parts of the contract are written with. */
export interface Contract {
  host: ScriptedHost;
  /** Plays a scenario on the host, in one of the ways in which it works. */
  play(scenario: Omit<Scenario, "streaming">): Promise<Observed>;
  test: TestFunction;
  /** Defines a test for hosts that can do all of this; for others it is skipped. */
  where(...needed: (keyof Capabilities)[]): TestFunction;
}

const MOST_REQUESTS = 1_000;

/** A model that never finishes. A host that nothing stops is stopped here, so that the test fails instead of hanging. */
export const endless = ({ index }: SeenRequest): ModelReply => {
  assert.ok(index < MOST_REQUESTS, `the host sent ${MOST_REQUESTS} requests, and no limit stopped it`);
  return { calls: 1 };
};

/** A model that finishes with its n-th answer. */
export const endsAt =
  (n: number) =>
  ({ index }: SeenRequest): ModelReply =>
    index >= n ? { text: "done" } : { calls: 1 };

/** A model that calls tools for as long as it has any, so many at once. */
export const untilToolsAreGone =
  (calls = 1) =>
  ({ tools }: SeenRequest): ModelReply =>
    tools.length === 0 ? { text: "partial" } : { calls };

/** How each run ended. What is not mentioned may be anything. */
export function assertOutcomes(
  { outcomes }: Pick<Observed, "outcomes">,
  ...expected: Partial<Outcome>[]
): void {
  const seen = outcomes.map((outcome, n) => pick(outcome, Object.keys(expected[n] ?? {})));
  assert.deepEqual(seen, expected);
}

/** How many tools were offered in each request. */
export function toolsOffered({ requests }: Observed): number[] {
  return requests.map(({ tools }) => tools.length);
}

/** How often the request has this text. Some hosts put the results of several calls into one. */
export function timesTold(request: SeenRequest | undefined, text: string): number {
  return (request?.texts.join("\n").split(text).length ?? 1) - 1;
}

function pick(outcome: Outcome | undefined, keys: string[]): Record<string, unknown> | undefined {
  const fields = outcome && Object.entries(outcome).filter(([key]) => keys.includes(key));
  return fields && Object.fromEntries(fields);
}
