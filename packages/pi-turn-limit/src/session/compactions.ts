import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Usage } from "turn-limit";
import { type Run, usageOf } from "../core.ts";
import type { ToolCalls } from "./tool-calls.ts";

/** The summaries that Pi makes of a session: whether one is worth its cost, and what it took. */
export class Compactions {
  readonly #ctx: ExtensionContext;
  readonly #run: Run;
  readonly #calls: ToolCalls;
  /** What was spent on summaries for work that has not begun yet. */
  readonly #preparation: Usage[] = [];

  constructor(ctx: ExtensionContext, run: Run, calls: ToolCalls) {
    this.#ctx = ctx;
    this.#run = run;
    this.#calls = calls;
  }

  /**
   * Pi is about to compact by itself. Would a limit end the run before the request that this is for, so that it would be
   * paid for in vain? `willRetry`: that request is made again; `promptComes`: it is the first one of a person's prompt.
   */
  async isInVain(willRetry: boolean, promptComes: boolean): Promise<boolean> {
    const { status, stop, synthesizing } = this.#run.view;
    if (stop) return true;
    const isIdle = status === "idle";
    if (!isIdle && !willRetry && !this.#calls.goesOn) return synthesizing;
    return this.#run.isStoppedBefore(willRetry ? "retry" : "turn", { afterPrompt: isIdle && promptComes });
  }

  /**
   * Pi has made a summary: of the transcript, or of a branch. One that nobody asked for while the agent is idle is for the
   * work that is about to begin.
   */
  summarized(usage: AssistantMessage["usage"] | undefined, isAskedFor = true): void {
    if (!usage) return;
    const spent = usageOf(usage, this.#ctx.model);
    if (this.#run.view.status === "idle" && !isAskedFor) this.#preparation.push(spent);
    else this.#spend(spent);
  }

  /** The work begins that a summary was made for. */
  workBegins(): void {
    for (const spent of this.#preparation.splice(0)) this.#spend(spent);
  }

  #spend(spent: Usage): void {
    this.#run.spend("compaction", spent);
    void this.#run.shared.settle();
  }
}
