import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Reply } from "turn-limit";
import type { BoundaryStyle } from "../config/LimitValues.ts";
import { mayContinue } from "../ui/question.ts";

interface Open {
  limit: string;
  withdraw: AbortController;
  reply: Promise<Reply | undefined>;
}

/** The one question that can be open at a time. */
export class OpenQuestion {
  #open: Open | undefined;

  /** Is the person being asked about this limit? */
  isAbout(limit: string): boolean {
    return this.#open?.limit === limit;
  }

  /**
   * Asks, in place of a question about another limit, or waits for the answer to what is being asked already.
   * `undefined`: the question was withdrawn.
   */
  put(ctx: ExtensionContext, ask: Ask, style: BoundaryStyle): Promise<Reply | undefined> {
    if (this.#open?.limit === ask.limit) return this.#open.reply;
    this.withdraw();
    const withdraw = new AbortController();
    const reply = this.#ask(ctx, ask, style, withdraw.signal);
    this.#open = { limit: ask.limit, withdraw, reply };
    return reply;
  }

  /** There is nothing to be asked any more. */
  withdraw(): void {
    this.#open?.withdraw.abort();
    this.#open = undefined;
  }

  async #ask(
    ctx: ExtensionContext,
    ask: Ask,
    style: BoundaryStyle,
    withdrawn: AbortSignal,
  ): Promise<Reply | undefined> {
    const either = ctx.signal ? AbortSignal.any([ctx.signal, withdrawn]) : withdrawn;
    const reply = await mayContinue(ctx, ask, style, either);
    if (withdrawn.aborted) return undefined;
    this.#open = undefined;
    return reply;
  }
}
