/**
 * Traces and metrics of runs by OpenTelemetry's conventions for generative AI. Needs the package `@opentelemetry/api`. Where no
 * SDK is set up, nothing is recorded.
 *
 * @module
 */
import { isPlainObject } from "../core/checks.ts";
import { InvalidLimit, unknownSetting } from "../core/errors/invalid-limit.ts";
import type { RunObserver } from "../run/observer.ts";
import type { RunInfo } from "../run/run-info.ts";
import { Instruments } from "./instruments.ts";
import { RunTrace } from "./run-trace.ts";

/** What is said of every run. */
export interface TelemetryOptions {
  /** What the agent is called. Default: what it is called in pools, such as `agent.js`. */
  agent?: string;
  /** Who serves the model, such as `anthropic`, where the host does not say. */
  provider?: string;
}

/**
 * An observer for the option `observe` of every adapter: a span `invoke_agent` for each run with one for each request
 * and tool call below it, and metrics of tokens, durations, questions, grants and ends. No prompts, arguments or answers are
 * in them, and no ids of runs in metrics.
 *
 * @example
 * const limits = limitLoop({ turns: 25, cost: 5, observe: telemetry({ agent: "researcher" }) });
 */
export function telemetry(options: TelemetryOptions = {}): RunObserver {
  requireOptions(options);
  const { agent, provider } = options;
  const instruments = new Instruments();
  // By the run, and not by its id: the caller may have given the same to several.
  const traces = new WeakMap<RunInfo, RunTrace>();
  return {
    runBegan(run) {
      const name = agent ?? run.member.name.replace(/ \(\d+\)$/, "");
      traces.set(run, new RunTrace(instruments.current(), { agent: name, provider, id: run.id }));
    },
    turnBegan: (turn, run) => traces.get(run)?.turnBegan(turn),
    turnEnded: (turn, end, run) => traces.get(run)?.turnEnded(turn, end),
    turnAbandoned: (turn, run) => traces.get(run)?.turnAbandoned(turn),
    spent: (usage, model, run) => traces.get(run)?.spent(usage, model),
    callBegan: (call, run) => traces.get(run)?.callBegan(call),
    callEnded: (call, run) => traces.get(run)?.callEnded(call),
    callDenied: (call, run) => traces.get(run)?.callDenied(call),
    asked: (question, run) => traces.get(run)?.asked(question),
    replied: (question, reply, run) => traces.get(run)?.replied(question, reply),
    extended: (boundary, _what, run) => traces.get(run)?.extended(boundary),
    runEnded: (outcome, run) => traces.get(run)?.ended(outcome),
  };
}

function requireOptions(options: TelemetryOptions): void {
  if (!isPlainObject(options)) throw new InvalidLimit("telemetry", options, "an object");
  for (const [name, value] of Object.entries(options)) {
    if (!["agent", "provider"].includes(name))
      throw unknownSetting(`telemetry.${name}`, value, ["agent", "provider"]);
    if (value !== undefined && (typeof value !== "string" || value === ""))
      throw new InvalidLimit(`telemetry.${name}`, value, "a text");
  }
}
