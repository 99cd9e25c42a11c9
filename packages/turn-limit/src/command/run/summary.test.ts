import { expect, test } from "vitest";
import { named } from "../../../test/helpers/named.ts";
import type { Outcome, OutcomeKind } from "../../core/governor/outcome.ts";
import type { GatewaySummary } from "../../gateway/requests/summary.ts";
import type { Ended } from "./start-agent.ts";
import { runExitCode, runReport, summaryLine } from "./summary.ts";

const FINISHED = { code: 0, signal: null };

function ended(
  kind: OutcomeKind,
  more: Partial<GatewaySummary> = {},
  outcome: Partial<Outcome> = {},
): GatewaySummary {
  return {
    outcome: {
      kind,
      turns: 25,
      rounds: 1,
      steps: 0,
      maxTurns: 25,
      maxSteps: "unlimited",
      intervened: true,
      ...outcome,
    },
    endedBy: undefined,
    turns: 25,
    requests: 31,
    sent: more.requests ?? 31,
    usage: { input: 1_150_000, output: 50_000, cost: 4.12 },
    isEstimate: false,
    isUnpriced: false,
    over: [],
    problem: undefined,
    time: 723_000,
    ...more,
  };
}

test.each<[string, GatewaySummary, Ended, string | undefined, number]>([
  [
    "stopped at 25/25 turns (Claude Code) · 31 requests · about 1.2m tokens · about $4.12 · 12m 3s",
    ended("stopped", { endedBy: { ...named("turns"), used: 25, max: 25 }, isEstimate: true }),
    FINISHED,
    "Claude Code",
    86,
  ],
  [
    "stopped at 25/25 turns (Codex) · turns extended 2×: 3 files changed · 75 turns · 31 requests · 1.2m tokens · $4.12 · 12m 3s",
    ended(
      "stopped",
      { endedBy: { ...named("turns"), used: 25, max: 25 }, turns: 75 },
      { extensions: [{ ...named("turns"), times: 2, what: "3 files changed" }] },
    ),
    FINISHED,
    "Codex",
    86,
  ],
  [
    "stopped by a person at $20.01/$20.00 cost per day (Codex) · 25 turns · 31 requests · 1.2m tokens · at least $4.12 · 12m 3s",
    ended("declined", {
      endedBy: { ...named("cost", { per: "day" }), used: 20.01, max: 20 },
      isUnpriced: true,
    }),
    { code: 1, signal: null },
    "Codex",
    86,
  ],
  [
    "stopped: The pool night is frozen: later · 31 requests · 12m 3s",
    ended("stopped", { usage: undefined }, { why: "The pool night is frozen: later." }),
    FINISHED,
    undefined,
    86,
  ],
  [
    "completed · 1 request · 1.2m tokens · $4.12 · 12m 3s",
    ended("completed", { requests: 1 }),
    FINISHED,
    undefined,
    0,
  ],
  [
    "ended after SIGINT (Claude Code) · 25 turns · 31 requests · 1.2m tokens · $4.12 · 12m 3s",
    ended("completed"),
    { ...FINISHED, interruptedBy: "SIGINT" },
    "Claude Code",
    130,
  ],
  [
    "ended after SIGINT (Claude Code) · 2 turns · 31 requests · 1.2m tokens · $4.12 · 12m 3s",
    ended("aborted", { turns: 2, endedBy: { ...named("turns"), used: 2, max: 2 } }),
    { ...FINISHED, interruptedBy: "SIGINT" },
    "Claude Code",
    130,
  ],
  [
    "answered without tools at 2/2 turns (Claude Code) · 3 turns · 31 requests · 1.2m tokens · $4.12 · 12m 3s",
    ended("salvaged", { turns: 3, endedBy: { ...named("turns"), used: 2, max: 2 } }),
    { ...FINISHED, interruptedBy: "SIGINT" },
    "Claude Code",
    86,
  ],
  [
    "completed · 31 requests · about 1.2m tokens · cost not known · 12m 3s",
    ended("completed", { usage: { input: 1_150_000, output: 50_000 }, isEstimate: true, isUnpriced: true }),
    FINISHED,
    undefined,
    0,
  ],
  [
    "completed · no request came through the gateway, so nothing was held: check which address the agent's settings name, or give it with --route · 12m 3s",
    ended("completed", { usage: undefined, requests: 0 }),
    FINISHED,
    undefined,
    1,
  ],
  [
    "completed · over the limit: 1.2m/1m tokens, $20.50/$20.00 cost per day · 31 requests · 1.2m tokens · $4.12 · 12m 3s",
    ended("completed", {
      over: [
        { ...named("tokens"), used: 1_200_000, max: 1_000_000 },
        { ...named("cost", { per: "day" }), used: 20.5, max: 20 },
      ],
    }),
    FINISHED,
    undefined,
    0,
  ],
  [
    "stopped at 1.2m/1m tokens · 31 requests · 12m 3s",
    ended("stopped", {
      endedBy: { ...named("tokens"), used: 1_200_000, max: 1_000_000 },
      over: [{ ...named("tokens"), used: 1_200_000, max: 1_000_000 }],
      usage: undefined,
    }),
    FINISHED,
    undefined,
    86,
  ],
  [
    "ended with exit code 1 (Codex) · api.example could not be reached: connect ECONNREFUSED · 25 turns · 31 requests · 12m 3s",
    ended("completed", {
      problem: "api.example could not be reached: connect ECONNREFUSED",
      usage: undefined,
    }),
    { code: 1, signal: null },
    "Codex",
    1,
  ],
  [
    "wrapped up (opencode) · 25 turns · 31 requests · 1.2m tokens · $4.12 · 12m 3s",
    ended("wrapped-up"),
    FINISHED,
    "opencode",
    0,
  ],
  [
    "ended with exit code 3 · 31 requests · 12m 3s",
    ended("completed", { usage: undefined }),
    { code: 3, signal: null },
    undefined,
    3,
  ],
  [
    "ended with exit code 1 after SIGINT · 31 requests · 12m 3s",
    ended("completed", { usage: undefined }),
    { code: 1, signal: null, interruptedBy: "SIGINT" },
    undefined,
    1,
  ],
  [
    "ended by SIGTERM · 0 requests · 12m 3s",
    ended("completed", { usage: undefined, requests: 0 }),
    { code: null, signal: "SIGTERM" },
    undefined,
    143,
  ],
])("%s", (line, summary, agent, profile, exitCode) => {
  expect(summaryLine(summary, agent, profile)).toBe(line);
  expect(runExitCode(summary, agent)).toBe(exitCode);
});

test("for scripts every field is there", () => {
  const stopped = ended("stopped", { endedBy: { ...named("turns"), used: 25, max: 25 } }, { limit: "turns" });
  expect(runReport(stopped, FINISHED, "Claude Code")).toEqual({
    text: "stopped at 25/25 turns (Claude Code) · 31 requests · 1.2m tokens · $4.12 · 12m 3s",
    limited: true,
    parked: null,
    exitCode: 86,
    agent: { profile: "Claude Code", exitCode: 0, signal: null },
    outcome: "stopped",
    ...named("turns"),
    extensions: [],
    used: 25,
    max: 25,
    why: null,
    turns: 25,
    requests: 31,
    tokens: { input: 1_150_000, output: 50_000, cacheRead: 0, cacheWrite: 0 },
    cost: 4.12,
    estimate: false,
    unpriced: false,
    over: [],
    problem: null,
    time: 723_000,
  });
});

test("a run that is parked says how to go on with it", () => {
  const parked = { id: "5f0c3a51", resume: "npx turn-limit resume 5f0c3a51" };
  const summary = ended("stopped", {
    endedBy: { limit: "turns", identity: { kind: "turns" }, used: 25, max: 25 },
  });
  expect(summaryLine(summary, FINISHED, "Codex", parked)).toMatch(
    /^parked at 25\/25 turns \(Codex\) · 31 requests · .* · to go on: npx turn-limit resume 5f0c3a51$/,
  );
  expect(runExitCode(summary, FINISHED, parked)).toBe(87);
  expect(runReport(summary, FINISHED, "Codex", parked)).toMatchObject({
    limited: true,
    exitCode: 87,
    parked,
  });
});
