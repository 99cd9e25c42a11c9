import type { Stop } from "../../core/governor/decision.ts";
import type { Model } from "../../core/meter/model.ts";
import type { Run } from "../../run/run.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";
import { type FinalTool, finalToolAsked } from "../shared/hosted-agent.ts";
import { checked } from "./checked-turn.ts";

/**
 * A turn whose request the program said it makes. `due`: it is about to. `held-up`: it makes a summary of the conversation
 * first, or has failed to. `made`: it was answered, or is made again.
 */
interface Requested {
  readonly turn: Turn;
  request: "due" | "held-up" | "made";
}

/**
 * The turns of the program's main loop, from the hook after which it makes a request to what shows that it made it. At the
 * same event a hook of the caller's may end the loop, and a summary of the conversation that fails ends it in place of the
 * request. A turn whose request was not made is given back.
 */
export class MainTurns {
  /** Requests since the last answer. */
  requests = 0;
  readonly #run: Run;
  readonly #signal: AbortSignal | undefined;
  readonly #finalTool: () => FinalTool;
  /** The next turn. Several hooks may ask for it. */
  #next: Promise<Turn | TurnStop> | undefined;
  /** The next turn, if it was admitted. The program has not said that it makes the request. */
  #admitted: Turn | undefined;
  /** The turn whose request the program said it makes. */
  #underWay: Requested | undefined;

  /** `signal`: ends the wait for a person; `finalTool`: the tool with which the answer is given. */
  constructor(run: Run, signal: AbortSignal | undefined, finalTool: () => FinalTool) {
    this.#run = run;
    this.#signal = signal;
    this.#finalTool = finalTool;
  }

  /** The turn under way. */
  get turn(): Turn {
    return this.#run.turn;
  }

  /** Was the next turn admitted? */
  get isAnnounced(): boolean {
    return this.#admitted !== undefined;
  }

  /** The next turn, which a hook announces. Until its request is made, it is the same one. */
  next(): Promise<Turn | TurnStop> {
    this.#next ??= this.#admit();
    return this.#next;
  }

  /** The turn of a request that the program makes although no hook announced it. */
  async unannounced(): Promise<Turn | TurnStop> {
    const turn = await this.#decide(false);
    if (isUsable(turn)) this.#underWay = { turn, request: "due" };
    return turn;
  }

  /** The tools-free turn, which comes after the program has ended. */
  last(): Promise<Turn | TurnStop> {
    return this.#decide(false);
  }

  /** The next request is that of this turn. */
  expect(turn: Turn): void {
    this.#admitted = turn;
    this.#next = Promise.resolve(turn);
  }

  /** The program says that it makes a request. Was it announced? */
  requested(): boolean {
    this.requests += 1;
    if (!this.#admitted) return false;
    this.#underWay = { turn: this.#admitted, request: "due" };
    this.#admitted = this.#next = undefined;
    return true;
  }

  /** Before the request, the program makes a summary of the conversation: it begins, is made, or failed. */
  summary(status: "begins" | "made" | "failed"): void {
    const requested = this.#underWay;
    if (requested && requested.request !== "made") requested.request = status === "made" ? "due" : "held-up";
  }

  /** The request was made: it is being answered, or made again. */
  wasMade(): void {
    const requested = this.#underWay;
    if (!requested || requested.request === "made") return;
    requested.request = "made";
    requested.turn.sent();
  }

  /** The request was answered, by this model. Its calls are about to run. */
  answered(model: Model | undefined): void {
    if (this.#underWay?.request === "made") this.#underWay.turn.answered({ model });
  }

  /** The main loop rests. `asked`: the model was asked something since it last did. */
  rest(asked: boolean): void {
    this.requests = 0;
    this.#settle();
    // When several sub-agents are done at once, the program asks the model about all of them in one request.
    if (asked) this.#giveBack();
  }

  /** The run is over. */
  end(): void {
    this.#settleRequest();
    this.#giveBack();
  }

  async #admit(): Promise<Turn | TurnStop> {
    const turn = checked(await this.#decide(true));
    if (isUsable(turn)) this.#admitted = turn;
    if (turn.kind === "stop") this.#next = undefined;
    return turn;
  }

  // `hears`: can the model be told something in its request?
  #decide(hears: boolean): Promise<Turn | TurnStop> {
    this.#settle();
    return this.#run.nextTurn({ signal: this.#signal, hears, ...finalToolAsked(this.#finalTool()) });
  }

  /** The turn under way is over. */
  #settle(): void {
    const turn = this.#settleRequest() ?? this.turn;
    if (turn !== this.#admitted) turn.answered();
  }

  /** Was the request made? If it is not known, it was. */
  #settleRequest(): Turn | undefined {
    const { turn, request } = this.#underWay ?? {};
    if (request === "held-up") turn?.abandon();
    else this.wasMade();
    this.#underWay = undefined;
    return turn;
  }

  #giveBack(): void {
    this.#admitted?.abandon();
    this.#admitted = this.#next = undefined;
  }
}

/** May the program make its request now? The tools-free turn is made later, by a program of its own. */
function isUsable(turn: Turn | Stop): turn is Turn {
  return turn.kind === "turn" && turn.tools;
}
