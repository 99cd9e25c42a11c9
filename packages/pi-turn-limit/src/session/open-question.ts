import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Reply } from "turn-limit";
import type { BoundaryStyle } from "../config/LimitValues.ts";
import { mayContinue } from "../ui/question.ts";

/** The one question that can be open at a time. */
export class OpenQuestion {
  #withdraw: AbortController | undefined;
  #reply: Promise<Reply | undefined> | undefined;

  /** Asks, or waits for the answer to what is being asked already. `undefined`: the question was withdrawn. */
  put(ctx: ExtensionContext, ask: Ask, style: BoundaryStyle): Promise<Reply | undefined> {
    this.#reply ??= this.#ask(ctx, ask, style).finally(() => {
      this.#reply = undefined;
    });
    return this.#reply;
  }

  /** There is nothing to be asked any more. */
  withdraw(): void {
    this.#withdraw?.abort();
  }

  async #ask(ctx: ExtensionContext, ask: Ask, style: BoundaryStyle): Promise<Reply | undefined> {
    const withdraw = new AbortController();
    const { signal } = withdraw;
    this.#withdraw = withdraw;
    const either = ctx.signal ? AbortSignal.any([ctx.signal, signal]) : signal;
    const reply = await mayContinue(ctx, ask, style, either);
    return signal.aborted ? undefined : reply;
  }
}
