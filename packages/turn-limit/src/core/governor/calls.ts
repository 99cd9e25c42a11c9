import type { StepCall } from "../limits/repeated-calls.ts";
import { notRun, notRunAnymore, sameAgain } from "../words.ts";
import type { Budgets } from "./budgets.ts";
import { consequenceOf } from "./decide.ts";
import { PROCEED, type StepDecision, type Stop } from "./decision.ts";
import type { Deniable } from "./run.ts";
import type { RunMachine } from "./run-machine.ts";

/** The tool calls of a run: which of them may begin, and what becomes of them. */
export class Calls {
  readonly #budgets: Budgets;
  readonly #run: RunMachine;

  constructor(budgets: Budgets, run: RunMachine) {
    this.#budgets = budgets;
    this.#run = run;
  }

  /** Whether a call may begin. */
  before(call: StepCall): StepDecision {
    const { meter, audit, restarts, repeats } = this.#budgets;
    if (this.#run.state.status === "idle") this.#run.open();
    const refused = this.#refusal(call);
    meter.call(refused ? "refusal" : "call", call.tool);
    this.#budgets.begun();
    if (refused) return refused;
    const { id, tool } = call;
    audit.admitted("calls", this.#budgets.steps?.max ?? "unlimited");
    repeats?.callBegan(call);
    // Of several calls by one name nobody knows which of them is denied.
    if (id !== undefined && !this.#takeDeniable(id)) this.#run.deniable.set(id, { tool, restarts });
    return PROCEED;
  }

  /** A call that was admitted does not run. */
  denied(id: string): void {
    const call = this.#takeDeniable(id);
    if (!call) return;
    this.#budgets.meter.denied(call.tool);
    this.#budgets.audit.withdrawn("calls");
  }

  /** A call is really being executed. */
  executed(): Stop | undefined {
    return this.#run.overrun("calls", "steps");
  }

  /** A call has its result. */
  ended(id: string | undefined, result: unknown): void {
    if (id !== undefined) this.#run.deniable.delete(id);
    this.#budgets.repeats?.callEnded(id, result);
  }

  // What was admitted before a counter started over is not in it, and cannot be taken back.
  #takeDeniable(id: string): Deniable | undefined {
    const call = this.#run.deniable.get(id);
    this.#run.deniable.delete(id);
    return call?.restarts === this.#budgets.restarts ? call : undefined;
  }

  #refusal(call: StepCall): Exclude<StepDecision, { kind: "proceed" }> | undefined {
    const run = this.#run;
    const { status, stop, synthesis, question } = run.state;
    const over = stop ?? synthesis ?? (status === "asking" ? question : null);
    if (over) return run.refuse("refuse", over, notRunAnymore);
    const reached = this.#budgets.reachedByCall(call);
    if (!reached) return undefined;
    const { boundary, action, isWarning } = reached;
    switch (consequenceOf(action, this.#budgets.hasEvidence)) {
      case "end":
        return run.refuse("refuse", run.end(boundary, action), notRunAnymore);
      case "synthesize":
        run.synthesisIsDue(boundary);
        return run.refuse("synthesize", boundary, notRunAnymore);
      default:
        return run.refuse("refuse", boundary, isWarning ? sameAgain : notRun);
    }
  }
}
