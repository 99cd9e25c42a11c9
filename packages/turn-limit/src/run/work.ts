import type { RefuseAndSynthesize, Stop } from "../core/governor/decision.ts";
import { type Boundary, isOwn } from "../core/limits/boundary.ts";
import { cutOff as cutOffReason } from "../core/words.ts";
import { type RunInfo, type RunStart, runInfo } from "./run-info.ts";
import type { Member } from "./shared-budgets.ts";

/** Cuts off what is running, in the host's own way. */
export type CutOff = (decision: Stop | RefuseAndSynthesize) => void;

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
  readonly #member: Member;
  readonly #start: RunStart | undefined;
  readonly #hostCutOff: CutOff | undefined;
  readonly #calls = new Set<(reason: string) => void>();
  // Made when they are first needed: most runs never look at them.
  readonly #controllers: { [Agent in AgentKind]?: AbortController } = {};
  #info: RunInfo | undefined;

  constructor(member: Member, start: RunStart | undefined, hostCutOff?: CutOff) {
    this.#member = member;
    this.#start = start;
    this.#hostCutOff = hostCutOff;
  }

  /** Which run it is. */
  get info(): RunInfo {
    this.#info ??= runInfo(this.#member, this.#start);
    return this.#info;
  }

  /**
   * Aborted when the agent must end in the middle of a request: because the run must, or because the tool call was cut off
   * that a sub-agent works in.
   */
  signalOf(agent: AgentKind): AbortSignal {
    return this.#controllerOf(agent).signal;
  }

  /** Are tool calls under way, so that the run can go on without their results? */
  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  /** The result of a tool call, or why it was cut off. */
  call<Result>(result: PromiseLike<Result> | Result): Promise<Executed<Result>> {
    return new Promise((resolve, reject) => {
      const cut = (reason: string) => {
        this.#calls.delete(cut);
        resolve({ kind: "cut-off", reason });
      };
      this.#calls.add(cut);
      Promise.resolve(result).then(
        (result) => {
          this.#calls.delete(cut);
          resolve({ kind: "result", result });
        },
        (error) => {
          this.#calls.delete(cut);
          reject(error);
        },
      );
    });
  }

  /** Cuts off the tool calls that are under way; if there are none, it is a request, and the run is aborted. */
  cutOff(decision: Stop | RefuseAndSynthesize): void {
    this.cutOffBy = decision;
    if (this.#hostCutOff) {
      this.#hostCutOff(decision);
      return;
    }
    const reason = decision.kind === "stop" ? cutOffReason(decision) : decision.reason;
    if (!this.hasCalls) this.abort(reason);
    for (const cut of this.#calls) cut(reason);
    this.#controllerOf("sub-agent").abort(new CutOffError(reason));
  }

  /** More was sent or executed than was admitted. Says why, for whoever reads the result. */
  overrun(stop: Stop): string {
    const reason = `Not run: more was ${isOwn(stop.identity, "steps") ? "executed" : "sent"} than the limits admit.`;
    if (!this.#hostCutOff) this.abort(reason);
    this.cutOff(stop);
    return reason;
  }

  abort(reason: string): void {
    for (const agent of ["prompted", "sub-agent"] as const)
      this.#controllerOf(agent).abort(new CutOffError(reason));
  }

  #controllerOf(agent: AgentKind): AbortController {
    this.#controllers[agent] ??= new AbortController();
    return this.#controllers[agent];
  }
}

/** The work of the run that is under way, or was last. */
export class CurrentWork {
  /** Who it is in the pools that it draws from. */
  readonly member: Member;
  readonly #hostCutOff: CutOff | undefined;
  #work: Work;

  constructor(member: Member, hostCutOff?: CutOff) {
    this.member = member;
    this.#hostCutOff = hostCutOff;
    this.#work = new Work(member, undefined, hostCutOff);
  }

  get work(): Work {
    return this.#work;
  }

  /** Another run begins. */
  begin(start?: RunStart): void {
    this.#work = new Work(this.member, start, this.#hostCutOff);
  }
}
