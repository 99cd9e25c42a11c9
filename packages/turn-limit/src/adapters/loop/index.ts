/**
 * For a hand-written loop: a few calls around `while`.
 *
 * @module
 */

import { requireFields } from "../../core/checks.ts";
import { requireFailure } from "../../core/governor/checks.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure, TurnEnd } from "../../core/governor/run-state.ts";
import type { GovernorView } from "../../core/governor/view.ts";
import type { StepCall } from "../../core/limits/repeated-calls.ts";
import type { Model } from "../../core/meter/model.ts";
import type { Usage } from "../../core/meter/usage.ts";
import { SteadyList } from "../../core/steady-list.ts";
import type { SubAgent } from "../../run/agent.ts";
import type { Call, RunCall } from "../../run/call.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { Run, type RunControl, type RunSettings } from "../../run/run.ts";
import type { RunStart } from "../../run/run-info.ts";
import type { Turn } from "../../run/turn.ts";
import { DecidedCalls } from "../shared/calls.ts";
import { reported } from "../shared/reported-usage.ts";

export type { AdapterOptions } from "../../run/options.ts";
export type { RunInfo } from "../../run/run-info.ts";

/** A turn that may begin. */
export interface LoopTurn {
  /** Offer the model its tools? In the last turn: no, or just {@link finalTool}. */
  readonly tools: boolean;
  /** In the last turn, the `finalTool` of the options, if there is one: offer it alone, and make the model call it. */
  readonly finalTool: string | undefined;
  /** Offer the model this tool? The same, tool by tool. */
  offers(tool: string): boolean;
  /** What the model has to be told in this request, besides the conversation. */
  readonly messages: readonly string[];
}

/** The limits of a hand-written loop. */
export interface LoopLimits extends RunControl {
  /**
   * A person's prompt: a new run, with a fresh budget. `ask` and `onOutcome` are told its `id` and `context`; without an
   * id it gets one.
   */
  begin(run?: RunStart): void;
  /**
   * Call it before each model request. `undefined`: the run must end. Throws `StepLimitExceeded`, or `LimitExceeded`,
   * when a limit raises.
   */
  nextTurn(signal?: AbortSignal): Promise<LoopTurn | undefined>;
  /** The request was answered; or it `"failed"` or was `"aborted"`; what it took, and the model, for its price. */
  turnEnded(end?: Failure | Pick<TurnEnd, "failure" | "usage">, model?: Model): void;
  /**
   * Call it before each tool call, in the model's order. A text means that it must not run: give it to the model as the
   * result. Limits of single tools and of repeats need to know which call it is.
   */
  refusal(call?: StepCall): Promise<string | undefined>;
  /**
   * Runs a tool call that was not refused, and has it counted. If the time is up before there is a result, a text that
   * says so. If there is a time limit, `run` is given a signal, which is aborted then.
   */
  execute<Result>(call: StepCall, run: RunCall<Result>): Promise<Result | string>;
  /** Call it when a request is really being sent: more of them than were admitted end the run at once. Optional. */
  requestSent(): void;
  /** Give it to your requests: aborted when the run must end in the middle of one. */
  readonly signal: AbortSignal;
  /** Set it while the run waits for a person, for example to approve a tool call: that time does not count. */
  waiting: boolean;
  /** The run spent something besides its turns: on a compaction, or within a tool call. */
  spend(activity: "compaction" | "nested", usage: Usage, model?: Model): void;
  /**
   * The limits of a loop that works for this run within a tool call: its turns and tool calls are this run's. Where the
   * run ends, the sub-agent's loop ends too, and the end is left to the loop that was prompted. What its answers take
   * counts by itself, so it must not be told to `spend` as well.
   */
  subAgent(): SubAgentLimits;
  /** The run is over: how it ended. */
  end(failure?: Failure): Outcome | undefined;
  /**
   * Resolves when the pools have been told everything that the run used, and it is in its history. To be awaited after `end`,
   * if it has any of these.
   */
  poolsSettled(): Promise<void>;
  /** How the last run ended. */
  readonly outcome: Outcome | undefined;
}

/** The limits of a loop that works for a run of another loop. */
export type SubAgentLimits = Pick<
  LoopLimits,
  "nextTurn" | "turnEnded" | "refusal" | "execute" | "requestSent" | "signal" | "subAgent"
>;

/**
 * Makes the limits of a loop.
 *
 * @example
 * const limits = limitLoop({ turns: 25, steps: 40 });
 * limits.begin();
 * for (let turn = await limits.nextTurn(); turn; turn = await limits.nextTurn()) {
 *   const offered = tools.filter(({ name }) => turn.offers(name));
 *   const answer = await model([...messages, ...turn.messages.map(user)], offered, limits.signal);
 *   limits.turnEnded({ usage: answer.usage });
 *   messages.push(answer);
 *   if (answer.calls.length === 0) break;
 *   for (const call of answer.calls) {
 *     messages.push(result(call, (await limits.refusal(call)) ?? (await limits.execute(call, () => run(call)))));
 *   }
 * }
 * const outcome = limits.end();
 */
export function limitLoop(options: AdapterOptions = {}): LoopLimits {
  const run = new Run(options);
  // The caller aborted the wait for a turn: the run has not completed.
  let isGivenUp = false;
  const loop = limitsOf(run, {
    // The loop ends with an error then, and may not come to say so.
    failed: () => {
      run.end();
      return run.shared.done();
    },
    decided: (wasGivenUp) => {
      isGivenUp = wasGivenUp;
    },
  });
  return Object.assign(new RunFacts(run), loop, {
    begin: (start?: RunStart) => {
      isGivenUp = false;
      run.begin(start);
    },
    spend: (activity: "compaction" | "nested", usage: Usage, model?: Model) =>
      run.spend(activity, usage, { model }),
    end: (failure?: Failure) => run.end(failure ?? (isGivenUp ? "aborted" : undefined)),
    poolsSettled: async () => run.shared.done(),
    configure: (settings: RunSettings) => run.configure(settings),
  });
}

/** What a loop may read. A class: an object with accessors of its own keeps its run from being collected early. */
class AgentFacts {
  readonly #agent: Pick<SubAgent, "turn">;

  constructor(agent: Pick<SubAgent, "turn">) {
    this.#agent = agent;
  }

  get signal(): AbortSignal {
    return this.#agent.turn.signal;
  }
}

class RunFacts extends AgentFacts {
  readonly #run: Run;

  constructor(run: Run) {
    super(run);
    this.#run = run;
  }

  get outcome(): Outcome | undefined {
    return this.#run.outcome;
  }

  get waiting(): boolean {
    return this.#run.facts.waiting;
  }

  set waiting(waiting: boolean) {
    this.#run.waiting(waiting);
  }

  get view(): GovernorView {
    return this.#run.view;
  }
}

class OfferedTurn implements LoopTurn {
  readonly tools: boolean;
  readonly finalTool: string | undefined;
  readonly messages: readonly string[];

  constructor({ tools, finalTool, message }: Turn) {
    this.tools = tools;
    this.finalTool = finalTool;
    this.messages = message === undefined ? [] : [message];
  }

  offers(tool: string): boolean {
    return this.tools || tool === this.finalTool;
  }
}

function requireTurnEnd(
  end: Failure | Pick<TurnEnd, "failure" | "usage">,
): Pick<TurnEnd, "failure" | "usage"> {
  if (typeof end === "string") return { failure: requireFailure(end, "turnEnded") };
  requireFields(end, "turnEnded", ["failure", "usage"]);
  return end;
}

/** What becomes of the turns that a loop asks for. */
interface Asked {
  /** Is done before `nextTurn` rejects. */
  failed(): Promise<void> | undefined;
  /** It begins or it does not. `wasGivenUp`: the caller aborted the wait for it. */
  decided(wasGivenUp: boolean): void;
}

/** What the loop of an agent and that of a sub-agent have in common: what is said is said of the last turn. */
function limitsOf(
  agent: Pick<SubAgent, "turn" | "next" | "subAgent">,
  asked?: Asked,
): Omit<SubAgentLimits, "signal"> {
  const calls = new DecidedCalls<Call>();
  const underWay = new SteadyList<Turn>();

  return {
    async nextTurn(signal) {
      try {
        const next = agent.next({ signal });
        const turn = next instanceof Promise ? await next : next;
        asked?.decided(turn.kind === "stop" && signal?.aborted === true);
        if (turn.kind === "stop") {
          if (turn.error) throw turn.error;
          return undefined;
        }
        calls.forget();
        underWay.add(turn);
        return new OfferedTurn(turn);
      } catch (error) {
        await asked?.failed();
        throw error;
      }
    },
    turnEnded(end = {}, model) {
      const { failure, usage: said } = requireTurnEnd(end);
      const { usage } = reported(said);
      // A turn of an earlier run that was never ended.
      while (underWay.at(0)?.isOver) underWay.take(0);
      const turn = underWay.take(0) ?? agent.turn;
      if (failure) turn.failed(failure, { usage, model });
      else turn.answered({ usage, model });
    },
    async refusal(toolCall = {}) {
      const decided = agent.turn.call(toolCall);
      const call = decided instanceof Promise ? await decided : decided;
      if (call.kind === "refused") return call.reason;
      calls.add(toolCall.id, call);
      return undefined;
    },
    async execute({ id }, execute) {
      const call = calls.take(id) ?? agent.turn.unadmittedCall({ id });
      const executed = await call.execute(execute);
      return executed.kind === "result" ? executed.result : executed.reason;
    },
    requestSent: () => void agent.turn.sent(),
    subAgent: () => {
      const subAgent = agent.subAgent();
      return Object.assign(new AgentFacts(subAgent), limitsOf(subAgent));
    },
  };
}
