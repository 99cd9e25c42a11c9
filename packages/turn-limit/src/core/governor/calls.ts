import type { StepCall } from "../limits/repeated-calls.ts";
import { notRun, notRunAgain, notRunAnymore, ranAgain } from "../words.ts";
import type { Budgets } from "./budgets.ts";
import { consequenceOf } from "./decide.ts";
import { ANSWERS, PROCEED, type StepDecision, type Stop } from "./decision.ts";
import type { RunMachine } from "./run-machine.ts";
import type { Deniable } from "./run-state.ts";

/** The tool calls of a run: which of them may begin, and what becomes of them. */
export class Calls {
  readonly #budgets: Budgets;
  readonly #run: RunMachine;

  constructor(budgets: Budgets, run: RunMachine) {
    this.#budgets = budgets;
    this.#run = run;
  }

  /** Is it the call that gives the answer, and no step? */
  isAnswer({ tool }: StepCall): boolean {
    return this.#run.isAnswer(tool);
  }

  /** Whether a call may begin. `mayAnswer`: it is of the agent whose answer is that of the run. */
  before(call: StepCall, mayAnswer = true): StepDecision {
    const { meter, audit, restarts, lists } = this.#budgets;
    if (this.#run.state.status === "idle") this.#run.open();
    if (mayAnswer && this.isAnswer(call)) return this.#answer(call);
    const refused = this.#refusal(call);
    meter.call(refused ? "refusal" : "call", call.tool);
    this.#budgets.begun();
    if (refused) return refused;
    const { id, tool } = call;
    audit.admitted("calls", lists.steps?.max ?? "unlimited");
    lists.repeats?.callBegan(call);
    // Of several calls by one name nobody knows which of them is denied.
    if (id !== undefined && !this.#takeDeniable(id)) this.#run.deniable.add(id, { tool, restarts });
    return PROCEED;
  }

  /** A call that was admitted does not run. */
  denied(id: string): void {
    const call = this.#takeDeniable(id);
    if (!call) return;
    if (call.isAnswer) {
      this.#run.delivered = false;
      this.#budgets.audit.withdrawn("calls", true);
      return;
    }
    this.#budgets.meter.denied(call.tool);
    this.#budgets.audit.withdrawn("calls");
  }

  /**
   * A call was made where nobody was asked before, and has its result. Counted by nothing but a limit of repeats: what the
   * model has to be told of a loop that it is in.
   */
  observed(call: StepCall, result: unknown): string | undefined {
    const loop = this.#budgets.lists.repeats?.observed(call, result);
    return loop && ranAgain(loop);
  }

  /** A call is really being executed. */
  executed(): Stop | undefined {
    return this.#run.overrun("calls", "steps");
  }

  /** A call has its result. `failed`: it is an error, and so no answer. */
  ended(id: string | undefined, result: unknown, failed = false): void {
    const call = id === undefined ? undefined : this.#run.deniable.take(id);
    if (failed && call?.isAnswer) this.#run.delivered = false;
    this.#budgets.lists.repeats?.callEnded(id, result, failed);
  }

  // It is counted by nothing: with it the work is done.
  #answer({ id, tool }: StepCall): StepDecision {
    const { audit, restarts } = this.#budgets;
    this.#run.delivered = true;
    audit.exempted("calls");
    if (id !== undefined && !this.#takeDeniable(id))
      this.#run.deniable.add(id, { tool, restarts, isAnswer: true });
    return ANSWERS;
  }

  // What was admitted before a counter started over is not in it, and cannot be taken back.
  #takeDeniable(id: string): Deniable | undefined {
    const call = this.#run.deniable.take(id);
    return call?.restarts === this.#budgets.restarts ? call : undefined;
  }

  #refusal(call: StepCall): Exclude<StepDecision, { kind: "proceed" }> | undefined {
    const run = this.#run;
    const { status, stop, synthesis, question } = run.state;
    // Whether the run got somewhere is found out meanwhile.
    const over =
      stop ?? synthesis ?? (status === "asking" && question?.turns === undefined ? question : null);
    if (over) return run.refuse("refuse", over, notRunAnymore);
    const reached = this.#budgets.reachedByCall(call);
    if (!reached) return undefined;
    const { boundary, action, warning } = reached;
    switch (consequenceOf(action, this.#budgets.hasEvidence)) {
      case "end":
        return run.refuse("refuse", run.end(boundary, action), notRunAnymore);
      case "synthesize":
        run.synthesisIsDue(boundary);
        return run.refuse("synthesize", boundary, notRunAnymore);
      default:
        return run.refuse("refuse", boundary, warning ? () => notRunAgain(warning) : notRun);
    }
  }
}
