import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Boundary, Outcome, Stop } from "turn-limit";
import type { Announcer } from "./announcer.ts";
import { publishBoundary } from "./publish.ts";
import { RunawayGuard } from "./runaway-guard.ts";

/** A tools-free turn is to come, or begins. */
type LastTurn = Boundary & { kind: "synthesize" };

/** Stops the agent, says why, and makes sure that it really stops. */
export class Brake {
  readonly #pi: ExtensionAPI;
  readonly #announcer: Announcer;
  readonly #runaway = new RunawayGuard();
  readonly #endRun: () => void;

  /** `endRun` is called for a run that does not end by itself. */
  constructor(pi: ExtensionAPI, announcer: Announcer, endRun: () => void) {
    this.#pi = pi;
    this.#announcer = announcer;
    this.#endRun = endRun;
  }

  /** A person prompted. */
  prompted(): void {
    this.#announcer.prompted();
    this.#runaway.prompted();
  }

  /** Ends the run. Is it one that another extension's message began, though the budget was used up? */
  async stop(ctx: ExtensionContext, stop: Stop, refused: boolean): Promise<void> {
    if (stop.outcome !== "declined") publishBoundary(this.#pi, stop);
    this.#announcer.stopped(ctx, stop, refused);
    await this.#runaway.slowDown();
    this.#halt(ctx, stop);
  }

  /** Cuts off what is under way, for the tools-free turn. */
  cutOff(ctx: ExtensionContext, decision: LastTurn): void {
    this.announceLastTurn(ctx, decision);
    this.#halt(ctx, { ...decision, kind: "stop", outcome: "stopped", raises: false });
  }

  announceLastTurn(ctx: ExtensionContext, decision: LastTurn): void {
    publishBoundary(this.#pi, decision);
    this.#announcer.lastTurn(ctx, decision);
  }

  /** The message that a stopped run ends with. */
  explain(ctx: ExtensionContext, message: AssistantMessage, stop: Stop): AssistantMessage {
    return this.#announcer.explain(ctx, message, stop);
  }

  /** The aborted work has ended. */
  cameToRest(): void {
    this.#runaway.cameToRest();
  }

  /** A run has ended, if there was one: because of this decision, if there was one. */
  ended(ctx: ExtensionContext, outcome: Outcome | undefined, stop: Stop | null): void {
    if (outcome) this.#runaway.ended(outcome, stop, ctx);
    if (stop) this.#announcer.ended();
  }

  #halt(ctx: ExtensionContext, why: Stop): void {
    abort(ctx);
    this.#runaway.aborted(ctx, why, this.#endRun);
  }
}

/** Aborts what is under way. The context of a timer may belong to a session that has ended. */
export function abort(ctx: ExtensionContext): void {
  try {
    ctx.abort();
  } catch {
    // There is nothing left to abort.
  }
}
