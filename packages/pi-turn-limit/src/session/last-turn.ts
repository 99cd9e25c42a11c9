import type { ContextWithSystemEvent, ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Boundary, Synthesize } from "turn-limit";
import type { Admission } from "turn-limit/adapter";
import { reachedText } from "../display/limit-words.ts";
import { LAST_TURN, toolsFree } from "./instructions.ts";

/** The tools-free turn with which a run ends. It follows a turn, or work that a limit cut off. */
export class LastTurn {
  readonly #pi: ExtensionAPI;
  /** The limit that cut off the work; the tools-free turn has not begun yet. */
  #cutOffBy: Boundary | undefined;
  #isTriggered = false;
  #isAnnounced = false;
  #underWay: Synthesize | undefined;

  constructor(pi: ExtensionAPI) {
    this.#pi = pi;
  }

  /** A limit cuts off the work, and the person is told that the tools-free turn follows. */
  cutOffBy(limit: Boundary): void {
    this.#cutOffBy = limit;
    this.#isAnnounced = true;
  }

  /** The limit that cut off the work, while the tools-free turn is yet to be triggered. */
  get awaitedBecauseOf(): Boundary | undefined {
    return this.#isTriggered ? undefined : this.#cutOffBy;
  }

  /** Why the work was cut off, while the tools-free turn has not begun. */
  get cutOffReason(): string | undefined {
    return this.#cutOffBy && `${reachedText(this.#cutOffBy)} Cut off.`;
  }

  /** Work that was cut off does not go on by itself, so the turn is triggered, once. Returns whether it was. */
  trigger(): boolean {
    if (!this.#cutOffBy || this.#isTriggered) return false;
    this.#isTriggered = true;
    const content = `${reachedText(this.#cutOffBy)} What was under way has been cut off.`;
    this.#pi.sendMessage({ customType: LAST_TURN, content, display: true }, { triggerTurn: true });
    return true;
  }

  /** Pi wants to take a turn. Whether it is the tools-free one is not known yet. */
  turnComes(): void {
    this.#underWay = undefined;
  }

  /** It is known what the turn is. Returns the decision if the person has to be told that it is the tools-free one. */
  admitted(admission: Admission): Synthesize | undefined {
    if (admission.kind === "stop") return undefined;
    const isNews = !this.#isAnnounced;
    this.#cutOffBy = undefined;
    this.#underWay = admission.kind === "synthesize" ? admission : undefined;
    this.#isAnnounced = this.#underWay !== undefined;
    return isNews ? this.#underWay : undefined;
  }

  /** The transcript without tools, if the tools-free turn is under way. */
  transcript(messages: ContextWithSystemEvent["messages"]): typeof messages | undefined {
    return this.#underWay && toolsFree(messages, this.#underWay.message);
  }

  /** The run has ended. */
  reset(): void {
    this.#cutOffBy = undefined;
    this.#isTriggered = false;
    this.#isAnnounced = false;
    this.#underWay = undefined;
  }
}
