import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type Ask, createGovernor, type Max, type Outcome, type Stop, type TurnDecision } from "turn-limit";
import { mayContinue } from "../ui/question.ts";
import { say } from "../ui/say.ts";
import { clearWidget, showWidget } from "../ui/widget.ts";
import { publishBoundary, publishOutcome } from "./publish.ts";
import { RunawayGuard } from "./runaway-guard.ts";

/** Carries the governor's decisions out with Pi's means. */
export class GovernedRun {
  readonly #pi: ExtensionAPI;
  readonly #runaway = new RunawayGuard();
  #governor = createGovernor();
  #openQuestion: AbortController | undefined;

  constructor(pi: ExtensionAPI) {
    this.#pi = pi;
  }

  /** A session starts. */
  begin(ctx: ExtensionContext): void {
    this.#governor = createGovernor({ canAsk: ctx.hasUI });
  }

  /** The limit changed. A question that it has answered closes by itself. */
  setMaxTurns(max: Max): void {
    this.#governor.maxTurns = max;
    if (this.#governor.status !== "asking") this.#openQuestion?.abort();
  }

  /** Turns of this round; an idle agent will begin at zero. */
  get turnsUsed(): number {
    return this.#governor.status === "idle" ? 0 : this.#governor.turnsUsed;
  }

  /** Can nothing but a person's prompt make the agent work again? */
  get exhausted(): boolean {
    return this.#governor.status === "idle" && this.#governor.exhausted;
  }

  /** The decision that is ending the run, until it has settled. */
  get stop(): Stop | null {
    return this.#governor.stop;
  }

  /** A person prompted. What was under way, if anything, had come to its end. */
  prompt(): void {
    this.#settle();
    this.#runaway.prompted();
    this.#governor.prompt();
  }

  /** A turn is about to begin: lets it, holds it for a question, or aborts the run before the request. */
  async beforeTurn(ctx: ExtensionContext): Promise<void> {
    let decision = this.#decide(ctx, () => this.#governor.beforeTurn());
    while (decision?.kind === "ask") decision = await this.#ask(ctx, decision);
    if (!decision) return;
    if (decision.kind === "stop") this.#stop(ctx, decision);
    this.show(ctx);
  }

  /** The turn in flight has its answer, or will get none. */
  answered(stopReason: string, ctx: ExtensionContext): void {
    // Pi calls an abort before the request an error.
    if (stopReason === "aborted" || ctx.signal?.aborted) this.#governor.turnEnded("aborted");
    else if (stopReason === "error") this.#governor.turnEnded("failed");
    else this.#governor.turnEnded();
  }

  /** Pi compacts and asks for the last answer again. */
  turnDiscarded(): void {
    this.#governor.turnDiscarded();
  }

  /** The agent is idle again. */
  settled(ctx: ExtensionContext): void {
    const { stop } = this.#governor;
    const outcome = this.#settle();
    if (outcome) this.#runaway.ended(outcome, stop, ctx);
    clearWidget(ctx);
  }

  /** Another session, or another point of this one: what was shown of an idle agent may no longer hold. */
  moved(ctx: ExtensionContext): void {
    if (this.#governor.status === "idle") clearWidget(ctx);
  }

  /** Shows the counter as it stands. */
  show(ctx: ExtensionContext): void {
    showWidget(ctx, [{ label: "Turns", used: this.turnsUsed, max: this.#governor.maxTurns }]);
  }

  // A run that is already being aborted takes no further turn, whoever aborted it.
  #decide(ctx: ExtensionContext, decide: () => TurnDecision): TurnDecision | undefined {
    return ctx.signal?.aborted ? undefined : decide();
  }

  async #ask(ctx: ExtensionContext, ask: Ask): Promise<TurnDecision | undefined> {
    this.show(ctx);
    publishBoundary(this.#pi, ask);
    const question = new AbortController();
    this.#openQuestion = question;
    const yes = await mayContinue(ctx, ask, question.signal);
    this.#openQuestion = undefined;
    return this.#decide(ctx, () => {
      if (question.signal.aborted) return this.#governor.beforeTurn();
      if (yes) showWidget(ctx, [{ label: "Turns", used: 0, max: this.#governor.maxTurns }]);
      return this.#governor.answer(yes);
    });
  }

  #stop(ctx: ExtensionContext, stop: Stop): void {
    if (stop.outcome === "declined") say(ctx, "Agent aborted by user.", "error");
    else publishBoundary(this.#pi, stop);
    ctx.abort();
  }

  #settle(): Outcome | undefined {
    const outcome = this.#governor.settled();
    if (outcome) publishOutcome(this.#pi, outcome);
    return outcome;
  }
}
