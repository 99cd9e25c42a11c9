import { anyFunction, isPlainObject } from "../core/checks.ts";
import { InvalidLimit, unknownSetting } from "../core/errors/invalid-limit.ts";
import type { Ask, Reply } from "../core/governor/decision.ts";
import type { Outcome } from "../core/governor/outcome.ts";
import type { Failure, RequestKind } from "../core/governor/run-state.ts";
import type { Boundary } from "../core/limits/boundary.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import type { RunInfo } from "./run-info.ts";
import { callSafely, type Warnings } from "./warnings.ts";
import type { AgentKind } from "./work.ts";

/** A turn that began. It is the same object when it ends. */
export interface ObservedTurn {
  /** A new turn, the same request once more, or a request besides the turns. */
  readonly as: RequestKind;
  /** Whose turn it is: that of the agent that was prompted, or of one that works for it. */
  readonly agent: AgentKind;
}

/** How a turn ended. */
export interface TurnEnd {
  /** What it took, with its price if that is known. */
  readonly usage?: Usage | undefined;
  readonly model?: Model | undefined;
  /** `undefined`: it was answered. */
  readonly failure?: Failure | undefined;
}

/** A tool call that is executed. It is the same object when it ends. */
export interface ObservedCall {
  /** What the model calls it. */
  readonly id?: string | undefined;
  readonly tool?: string | undefined;
}

/**
 * Is told what happens in runs, as it happens: to trace and to measure them. What it throws is a warning, and changes
 * nothing. No prompts, arguments, results or answers are told.
 */
export interface RunObserver {
  /** A prompt: a run begins. */
  runBegan?(run: RunInfo): void;
  turnBegan?(turn: ObservedTurn, run: RunInfo): void;
  /** It was answered, failed or was cancelled. */
  turnEnded?(turn: ObservedTurn, end: TurnEnd, run: RunInfo): void;
  /** It does not begin after all: nothing was sent. */
  turnAbandoned?(turn: ObservedTurn, run: RunInfo): void;
  /**
   * Something was used that no turn told of: by an answer of a host that says so only later, such as Mastra and the Claude
   * Agent SDK, or by a compaction.
   */
  spent?(usage: Usage, model: Model | undefined, run: RunInfo): void;
  callBegan?(call: ObservedCall, run: RunInfo): void;
  callEnded?(call: ObservedCall, run: RunInfo): void;
  /** It does not run after all: a person, or a rule of the host, denied it. */
  callDenied?(call: ObservedCall, run: RunInfo): void;
  /** A person is asked. */
  asked?(question: Ask, run: RunInfo): void;
  /** The reply by which it was decided. `undefined`: there was none, which is a no. */
  replied?(question: Ask, reply: Reply | undefined, run: RunInfo): void;
  /** A limit was extended without a question, because the run got somewhere. `what`: what progress was, if that is known. */
  extended?(boundary: Boundary, what: string | undefined, run: RunInfo): void;
  runEnded?(outcome: Outcome, run: RunInfo): void;
}

const EVENTS: readonly (keyof RunObserver)[] = [
  "runBegan",
  "turnBegan",
  "turnEnded",
  "turnAbandoned",
  "spent",
  "callBegan",
  "callEnded",
  "callDenied",
  "asked",
  "replied",
  "extended",
  "runEnded",
];

/** Tells an observer, who can do no harm to the run. */
export class Observation {
  readonly #observer: RunObserver;
  readonly #warnings: Warnings;

  constructor(observer: RunObserver, warnings: Warnings) {
    this.#observer = observer;
    this.#warnings = warnings;
  }

  tell<Event extends keyof RunObserver>(
    event: Event,
    ...told: Parameters<NonNullable<RunObserver[Event]>>
  ): void {
    const observer = this.#observer as Record<Event, ((...told: unknown[]) => void) | undefined>;
    callSafely(
      () => observer[event]?.(...told),
      (error) => this.#warnings.warn(`observe.${event} threw: ${error}`),
    );
  }
}

/** Checks what was given as `observe`. */
export function requireObserver(given: unknown): RunObserver | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== "object" || given === null)
    throw new InvalidLimit(
      "observe",
      given,
      "an object with functions, as telemetry() of turn-limit/otel returns",
    );
  if (isPlainObject(given))
    for (const name of Object.keys(given))
      if (!EVENTS.some((event) => event === name))
        throw unknownSetting(`observe.${name}`, given[name], EVENTS);
  const observer = given as RunObserver;
  for (const event of EVENTS)
    if (observer[event] !== undefined) anyFunction(observer[event], `observe.${event}`);
  return observer;
}
