import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Boundary, Governor, RefuseAndSynthesize, Reply, Stop } from "turn-limit";
import { reachedText } from "../ui/limit-words.ts";
import { explained } from "./stop-message.ts";
import { TimeWatch } from "./time-watch.ts";

const LAST_TURN = "turn-limit:last-turn";

/** The run that the time passes in. */
export interface TimedRun {
  /** Which knows what time it is. */
  governor(): Governor;
  show(ctx: ExtensionContext): void;
  /** Asks the person. `undefined`: the question was withdrawn. */
  ask(ctx: ExtensionContext, ask: Ask): Promise<Reply | undefined>;
  stop(ctx: ExtensionContext, stop: Stop): Promise<void>;
  /** Aborts what is under way; the tools-free turn is to come instead. */
  cutOff(ctx: ExtensionContext, decision: RefuseAndSynthesize): void;
}

/** Holds the time limit in the middle of a turn, whatever the agent does there. */
export class MidTurn {
  readonly #run: TimedRun;
  readonly #watch = new TimeWatch();
  #ctx: ExtensionContext | undefined;
  #cutOff: Boundary | undefined;
  #triggered = false;

  constructor(run: TimedRun) {
    this.#run = run;
  }

  /** Was something cut off, and is the tools-free turn yet to begin? */
  get isCutOff(): boolean {
    return this.#cutOff !== undefined;
  }

  /** A turn is under way: the one after what was cut off, if something was. */
  begins(ctx: ExtensionContext): void {
    this.#ctx = ctx;
    this.#cutOff = undefined;
    this.watchTime();
  }

  /** Other limits hold from now on. */
  limitsChanged(): void {
    if (this.#ctx) this.#run.show(this.#ctx);
    this.watchTime();
  }

  /** How much time is left has changed, or whether it counts. */
  watchTime(): void {
    const ctx = this.#ctx;
    if (!ctx) return;
    this.#watch.set(this.#run.governor().timeLeft, {
      up: () => void this.#timeIsUp(ctx),
      ...(ctx.mode === "tui" && { ticks: () => this.#run.show(ctx) }),
    });
  }

  /** The run is being ended: the time is of no interest any more. */
  off(): void {
    this.#watch.off();
    this.#ctx = undefined;
  }

  /** The run is over. */
  over(): void {
    this.off();
    this.#cutOff = undefined;
    this.#triggered = false;
  }

  /** The message that Pi made up for what was cut off, with the reason. */
  explain(message: AssistantMessage): AssistantMessage | undefined {
    return this.#cutOff && explained(message, `${reachedText(this.#cutOff)} Cut off.`);
  }

  /** The agent has come to rest. Does the tools-free turn follow? What was cut off cannot go on by itself. */
  triggerLastTurn(pi: ExtensionAPI, ctx: ExtensionContext): boolean {
    if (!this.#cutOff || this.#triggered) return false;
    this.#triggered = true;
    this.#watchForLastTurn(ctx);
    const content = `${reachedText(this.#cutOff)} What was under way has been cut off.`;
    pi.sendMessage({ customType: LAST_TURN, content, display: true }, { triggerTurn: true });
    return true;
  }

  // Pi may have something else to do first, and that may hang, too.
  #watchForLastTurn(ctx: ExtensionContext): void {
    const time = this.#run.governor().standings.find(({ limit }) => limit === "time");
    this.#watch.set(Number(time?.max), {
      up: () => {
        const decision = this.#run.governor().overdue(false);
        if (decision?.kind === "stop") void this.#run.stop(ctx, decision);
      },
    });
  }

  async #timeIsUp(ctx: ExtensionContext): Promise<void> {
    const decision = this.#run.governor().overdue();
    if (!decision) return this.watchTime();
    if (decision.kind === "ask") return this.#ask(ctx, decision);
    if (decision.kind === "stop") return this.#run.stop(ctx, decision);
    this.#cutOff = decision;
    this.#run.cutOff(ctx, decision);
  }

  // The turn goes on while the person thinks. If it ends first, the next one is held for the same question.
  async #ask(ctx: ExtensionContext, ask: Ask): Promise<void> {
    const reply = await this.#run.ask(ctx, ask);
    if (!this.#ctx) return;
    if (reply === undefined) return this.watchTime();
    if (ctx.signal?.aborted || this.#run.governor().status !== "running") return;
    const decision = this.#run.governor().answer(reply);
    if (decision.kind === "stop") return this.#run.stop(ctx, decision);
    this.#run.show(ctx);
    this.watchTime();
  }
}
