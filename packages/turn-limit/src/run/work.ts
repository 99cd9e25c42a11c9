import type { RefuseAndSynthesize, Stop } from "../core/governor/decision.ts";
import type { Outcome } from "../core/governor/outcome.ts";
import { type Boundary, isOwn } from "../core/limits/boundary.ts";
import { cutOff as cutOffReason } from "../core/words.ts";
import type { Observation } from "./observer.ts";
import { type OwnMember, type RunInfo, type RunStart, runInfo } from "./run-info.ts";
import type { Warnings } from "./warnings.ts";

/** How a host cuts off what is running, in its own way. */
export interface HostCutOff {
  /**
   * Cuts off what is running: the run must end, or go on with the tools-free turn. Default: tool calls that
   * {@link Call.execute} runs get the reason as their result; if there are none, {@link Turn.signal} is aborted.
   */
  cutOff?: (decision: Stop | RefuseAndSynthesize) => void;
  /** Can the run go on with the tools-free turn after the cut-off? Default: only if tool calls were cut off. */
  canGoOn?: () => boolean;
}

/** What came of a tool call: its result, or why it was cut off before it had one. */
export type Executed<Result> = { kind: "result"; result: Result } | { kind: "cut-off"; reason: string };

/** The reason of a signal that a limit aborted. */
export class CutOffError extends Error {}

/** Which agent of a run: the one that was prompted, or one that works for it within a tool call. */
export type AgentKind = "prompted" | "sub-agent";

/** The work of one run, and how it is cut off in the middle of a turn. Handles of a run that is over hold its work. */
export class Work {
  /** Is the run over? Then its handles change nothing any more. */
  isOver = false;
  /** What cut it off. */
  cutOffBy: Boundary | undefined;
  /** How it ended. */
  outcome: Outcome | undefined;
  /** Does it go on from a saved state in which the last request had failed? */
  readonly resumesFailed: boolean;
  readonly #member: OwnMember;
  readonly #start: RunStart | undefined;
  readonly #host: HostCutOff;
  /** Ends a call that is under way. Made with the first of them. */
  #calls: Set<(reason: string) => void> | undefined;
  // Made when they are first needed: most runs never look at them.
  readonly #controllers: { [Agent in AgentKind]?: AbortController } = {};
  #info: RunInfo | undefined;

  constructor(member: OwnMember, host: HostCutOff, resumesFailed: boolean, start?: RunStart) {
    this.resumesFailed = resumesFailed;
    this.#member = member;
    this.#host = host;
    this.#start = start && { ...start };
  }

  /** Which run it is. */
  get info(): RunInfo {
    this.#info ??= runInfo(this.#member.known, this.#start);
    return this.#info;
  }

  /**
   * Aborted when the agent must end in the middle of a request: because the run must, or because the tool call was cut off
   * that a sub-agent works in.
   */
  signalOf(agent: AgentKind): AbortSignal {
    return this.#controllerOf(agent).signal;
  }

  /** Is it aborted? Said without making the signal, which most runs never need. */
  isAborted(agent: AgentKind): boolean {
    return this.#controllers[agent]?.signal.aborted === true;
  }

  /** Can the run go on with the tools-free turn after it is cut off? By itself it can without the results of tool calls. */
  get canGoOn(): boolean {
    return this.#host.canGoOn?.() ?? this.#hasCalls;
  }

  /** The result of a tool call, or why it was cut off. */
  call<Result>(result: PromiseLike<Result> | Result): Promise<Executed<Result>> {
    this.#calls ??= new Set();
    const calls = this.#calls;
    return new Promise((resolve, reject) => {
      const cut = (reason: string) => {
        calls.delete(cut);
        resolve({ kind: "cut-off", reason });
      };
      calls.add(cut);
      Promise.resolve(result).then(
        (result) => {
          calls.delete(cut);
          resolve({ kind: "result", result });
        },
        (error) => {
          calls.delete(cut);
          reject(error);
        },
      );
    });
  }

  /** Cuts off the tool calls that are under way; if there are none, it is a request, and the run is aborted. */
  cutOff(decision: Stop | RefuseAndSynthesize): void {
    this.cutOffBy = decision;
    if (this.#host.cutOff) {
      this.#host.cutOff(decision);
      return;
    }
    const reason = decision.kind === "stop" ? cutOffReason(decision) : decision.reason;
    if (!this.#hasCalls) this.abort(reason);
    for (const cut of this.#calls ?? []) cut(reason);
    this.#controllerOf("sub-agent").abort(new CutOffError(reason));
  }

  /** More was sent or executed than was admitted. Says why, for whoever reads the result. */
  overrun(stop: Stop): string {
    const reason = `Not run: more was ${isOwn(stop.identity, "steps") ? "executed" : "sent"} than the limits admit.`;
    if (!this.#host.cutOff) this.abort(reason);
    this.cutOff(stop);
    return reason;
  }

  abort(reason: string): void {
    for (const agent of ["prompted", "sub-agent"] as const)
      this.#controllerOf(agent).abort(new CutOffError(reason));
  }

  get #hasCalls(): boolean {
    return this.#calls !== undefined && this.#calls.size > 0;
  }

  #controllerOf(agent: AgentKind): AbortController {
    this.#controllers[agent] ??= new AbortController();
    return this.#controllers[agent];
  }
}

/** The work of the run that is under way, or was last. */
export class CurrentWork {
  readonly #member: OwnMember;
  readonly #host: HostCutOff;
  /** What a person should know of it. */
  readonly warnings: Warnings;
  readonly #observation: Observation | undefined;
  #work: Work;

  /** `resumesFailed`: the run goes on from a saved state in which the last request had failed. */
  constructor(
    member: OwnMember,
    host: HostCutOff,
    warnings: Warnings,
    observation: Observation | undefined,
    resumesFailed: boolean,
  ) {
    this.#member = member;
    this.#host = host;
    this.warnings = warnings;
    this.#observation = observation;
    this.#work = new Work(member, host, resumesFailed);
  }

  get work(): Work {
    return this.#work;
  }

  /** Another run begins, or goes on from a saved state. */
  begin(start?: RunStart, resumesFailed = false): void {
    this.warnings.clear();
    this.#work = new Work(this.#member, this.#host, resumesFailed, start);
    this.#observation?.tell("runBegan", this.#work.info);
  }
}
