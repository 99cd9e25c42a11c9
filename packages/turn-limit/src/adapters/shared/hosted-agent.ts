import type { LimitExceeded } from "../../core/errors/limit-exceeded.ts";
import { limitError } from "../../core/governor/decision.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure, RequestKind } from "../../core/governor/run-state.ts";
import { type Agent, SubAgent, type TurnRequest } from "../../run/agent.ts";
import type { Run } from "../../run/run.ts";
import type { RunStart } from "../../run/run-info.ts";
import { joinedTexts, type Turn, type TurnStop } from "../../run/turn.ts";

/**
 * One agent of a run in its host: the one that was prompted, or a sub-agent, which a tool call of another one runs. Knows
 * the turn under way, and the next one, about which most hosts ask before it begins.
 */
export class HostedAgent {
  readonly run: Run;
  readonly #agent: Agent;
  #turn: Turn | undefined;
  #asked: Promise<Turn | TurnStop> | undefined;
  #next: Turn | TurnStop | undefined;
  #directive: string | undefined;
  #told: string | undefined;
  #attempts = 0;
  #signals: { callers: AbortSignal; own: AbortSignal; either: AbortSignal } | undefined;

  /** `agent`: a sub-agent of the run. */
  constructor(run: Run, agent: Agent = run) {
    this.run = run;
    this.#agent = agent;
  }

  /** Is it a sub-agent? Its end is not the run's end. */
  get isNested(): boolean {
    return this.#agent !== this.run;
  }

  /** An agent that works for it within a tool call. */
  subAgent(): HostedAgent {
    return new HostedAgent(this.run, this.#agent.subAgent());
  }

  /** A person's prompt begins the run, unless it is a sub-agent. */
  beginRun(start: RunStart): void {
    this.#turn = this.#directive = this.#told = undefined;
    if (!this.isNested) this.run.begin(start);
  }

  /** The turn under way. */
  get turn(): Turn {
    return this.#turn ?? this.#agent.turn;
  }

  /** The next turn, if it is decided. */
  get next(): Turn | TurnStop | undefined {
    return this.#next;
  }

  /**
   * Decides about the next turn: at once, unless a person or shared budgets have to be waited for. Until it begins, it is the
   * same one. `as`: what the host says that it is. `finalTool`: the tool with which
   * it gives its answer, or has it the tool of this name?
   */
  decideNext(
    signal: AbortSignal | undefined,
    as?: RequestKind,
    finalTool?: FinalTool,
  ): Promise<Turn | TurnStop> | Turn | TurnStop {
    const known = this.#next ?? this.#asked;
    if (known) return known;
    const next = this.#agent.next({ signal, as, ...finalToolAsked(finalTool) });
    if (next instanceof Promise) {
      this.#asked = next.then((decided) => {
        this.#next = decided;
        return decided;
      });
      return this.#asked;
    }
    this.#next = next;
    return next;
  }

  /** What was decided happens: the turn begins, or the agent must end. */
  begin(next: Turn | TurnStop): void {
    this.#asked = this.#next = undefined;
    if (next.kind === "stop") return;
    const unheard = next.as === "retry" && this.#turn?.tools ? this.#directive : undefined;
    this.#directive = next.directive ?? unheard;
    this.#told = next.told;
    this.#turn = next;
    this.#attempts = 0;
  }

  /**
   * The host makes the request of the turn under way, which that is. If it has made it before, that one failed and this is
   * the same once more: it has to be admitted, too, and is the turn under way then.
   */
  attempt(signal: AbortSignal | undefined): Promise<Turn | TurnStop> | Turn {
    this.#attempts += 1;
    const { turn } = this;
    return this.#attempts === 1 || turn.isOver ? turn : this.#attemptAgain(turn, signal);
  }

  async #attemptAgain(turn: Turn, signal: AbortSignal | undefined): Promise<Turn | TurnStop> {
    turn.failed();
    const next = await this.decideNext(signal, turn.isToBeRetried ? "retry" : undefined);
    this.begin(next);
    if (next.kind === "stop") return next;
    this.#attempts = 1;
    next.sent();
    return next;
  }

  /** What the model has to be told in the turn under way: once more where the last request failed. */
  get message(): string | undefined {
    return joinedTexts(this.#directive, this.#told);
  }

  /** The same in its parts: what it has to do, and what it has left. */
  get directive(): string | undefined {
    return this.#directive;
  }
  get told(): string | undefined {
    return this.#told;
  }

  /** Counts a turn that a sub-agent took in another process; `undefined`: it is not covered. */
  recordTurn(): Turn | undefined {
    return this.#agent instanceof SubAgent ? this.#agent.recordTurn() : undefined;
  }

  /** Aborted when it must end in the middle of a request. */
  get signal(): AbortSignal {
    return this.#agent.turn.signal;
  }

  /** The same of the run under way, also once another one has begun. No signal is made before it is asked for. */
  get cutOff(): Pick<Turn, "signal" | "isAborted"> {
    return this.#agent.turn;
  }

  /** Can it be cut off in the middle of a turn, as things stand? Without a time limit it is not. */
  get mayBeCutOff(): boolean {
    return this.run.isTimed;
  }

  /** The signal for a request: the caller's, which is usually the same in all of them, and its own beside it if needed. */
  signalBeside(callers: AbortSignal | undefined): AbortSignal | undefined {
    if (!this.mayBeCutOff) return callers;
    const own = this.signal;
    if (!callers) return own;
    if (this.#signals?.callers !== callers || this.#signals.own !== own)
      this.#signals = { callers, own, either: eitherSignal(callers, own) };
    return this.#signals.either;
  }

  /** The error of the limit that ended the run, if that raises. */
  get raised(): LimitExceeded | undefined {
    const { stop } = this.run;
    return stop ? limitError(stop) : undefined;
  }

  /** It is over, and so is the run, unless it is a sub-agent's. A turn that was admitted and has not begun is given back. */
  end(failure?: Failure): Outcome | undefined {
    if (this.#next?.kind === "turn") this.#next.abandon();
    this.#asked = this.#next = undefined;
    if (failure) this.#turn?.failed(failure);
    return this.isNested ? undefined : this.run.end(failure);
  }

  /** Resolves when pools know what the run used, if it is over. `undefined`: there is nothing to wait for. */
  settled(): Promise<void> | undefined {
    return this.isNested ? undefined : this.run.shared.done();
  }
}

/** What a host says of the final tool: its name, or whether the agent has the one that the options name. */
export type FinalTool = string | ((name: string) => boolean);

/** The same, as a turn is asked for. */
export function finalToolAsked(finalTool: FinalTool | undefined): Pick<TurnRequest, "finalTool" | "hasTool"> {
  return typeof finalTool === "function" ? { hasTool: finalTool } : { finalTool };
}

/** Aborted when one of the two is. */
export function eitherSignal(callers: AbortSignal | undefined, ours: AbortSignal): AbortSignal {
  return callers ? AbortSignal.any([callers, ours]) : ours;
}
