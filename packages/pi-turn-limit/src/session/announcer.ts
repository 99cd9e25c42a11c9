import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Boundary, CompleteSettings, Stop } from "turn-limit";
import { reachedText, unpricedText } from "../ui/limit-words.ts";
import { say } from "../ui/say.ts";
import { isPisOwnProcess } from "./pi-process.ts";
import { explained, stopReason, stopTitle } from "./stop-message.ts";

type Model = NonNullable<ExtensionContext["model"]>;

/** Says what a limit did, once, wherever the person will see it. */
export class Announcer {
  readonly #unpriced = new Set<string>();
  #reason: string | undefined;
  #explained = false;
  #failing = false;

  /** The run is being stopped. Print mode only says why with the message of its last run. */
  stopped(ctx: ExtensionContext, stop: Stop): void {
    if (ctx.hasUI)
      ctx.ui.notify(stop.outcome === "declined" ? "Agent aborted by user." : stopTitle(stop), "error");
    else if (ctx.mode === "json") console.error(stopReason(stop));
    else this.#reason = stopReason(stop);
  }

  /** The message that a stopped run ends with. */
  explain(message: AssistantMessage, stop: Stop): AssistantMessage {
    this.#explained = true;
    return explained(message, stopReason(stop));
  }

  /** The stopped run has ended. Pi leaves no message where it was waiting to make a request again. */
  ended(): void {
    if (this.#reason && !this.#explained) {
      console.error(this.#reason);
      this.#reason = undefined;
      this.#failing = isPisOwnProcess();
      if (this.#failing) process.exitCode = 1;
    }
    this.#explained = false;
  }

  /** Another prompt: says why the last run was stopped if that was not said yet, and resets Pi's exit code. */
  prompted(): void {
    if (this.#reason) console.error(this.#reason);
    if (this.#failing) process.exitCode = undefined;
    this.#reason = undefined;
    this.#failing = false;
  }

  /** The tools-free turn is next. */
  lastTurn(ctx: ExtensionContext, boundary: Boundary): void {
    say(ctx, `${reachedText(boundary).replace(/\.$/, "")}: one last answer, without tools.`, "warning");
  }

  /** The model has no price, and there is a cost limit. */
  unpriced(ctx: ExtensionContext, { id }: Model, settings: CompleteSettings): void {
    if (this.#unpriced.has(id)) return;
    this.#unpriced.add(id);
    say(ctx, unpricedText(id, settings), "warning");
  }
}
