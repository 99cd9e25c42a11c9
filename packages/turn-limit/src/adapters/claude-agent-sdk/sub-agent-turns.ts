import type { SubAgent } from "../../run/agent.ts";
import type { Run } from "../../run/run.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";
import { checked } from "./checked-turn.ts";

/** A sub-agent of the program's. */
interface Worker {
  readonly agent: SubAgent;
  /** Its next turn, until its next event shows that the request was made. */
  admitted?: Turn | undefined;
  /** Has a hook of the caller's ended it? Then it makes no further request. */
  isEnded?: boolean;
}

/**
 * The turns of the program's sub-agents. The program does not say when these make their requests: they did if they are heard
 * of again.
 */
export class SubAgentTurns {
  readonly #run: Run;
  readonly #signal: AbortSignal | undefined;
  /** By their ids. */
  readonly #workers = new Map<string, Worker>();
  /** By the ids of the calls that start them. The program has yet to give them ids of their own. */
  readonly #starting = new Map<string, Worker>();

  /** `signal`: ends the wait for a person. */
  constructor(run: Run, signal: AbortSignal | undefined) {
    this.#run = run;
    this.#signal = signal;
  }

  /** The turn under way of the one with this id, which makes calls. */
  turnOf(id: string): Turn {
    const worker = this.#worker(id);
    worker.isEnded = false;
    this.#wasMade(worker);
    return worker.agent.turn;
  }

  /** The next turn of the one with this id. */
  next(id: string): Promise<Turn | TurnStop> {
    return this.#next(id, true);
  }

  /** The turn of a request that it makes although no hook announced it. */
  unannounced(id: string): Promise<Turn | TurnStop> {
    return this.#next(id, false);
  }

  /** A call is about to start one: its first turn. */
  async start(call: string): Promise<Turn | TurnStop> {
    const worker: Worker = { agent: this.#run.subAgent() };
    const turn = await this.#admit(worker, false);
    if (turn.kind === "turn") this.#starting.set(call, worker);
    return turn;
  }

  /** The call was denied, so it starts nothing. */
  notStarted(call: string): void {
    this.#starting.get(call)?.admitted?.abandon();
    this.#starting.delete(call);
  }

  /** One was started, by a call or by something else that told no hook. */
  started(id: string): void {
    this.#wasMade(this.#worker(id));
  }

  /**
   * One has answered, and is about to end. `isSentOn`: a hook had sent it on before. Did it make a request since that was not
   * announced?
   */
  answered(id: string, isSentOn: boolean): boolean {
    const worker = this.#workers.get(id);
    // The program tells this of the summaries that it makes, too.
    if (!worker) return false;
    worker.isEnded = false;
    const isUnannounced = isSentOn && !worker.admitted;
    this.#wasMade(worker);
    worker.agent.turn.answered();
    return isUnannounced;
  }

  /** Was it heard of that the one with this id started? */
  isKnown(id: string): boolean {
    return this.#workers.has(id);
  }

  /** A hook of the caller's ends the one with this id, at an event after which it would make a request. */
  endedByHook(id: string): void {
    const worker = this.#worker(id);
    worker.isEnded = true;
    worker.admitted?.abandon();
    worker.admitted = undefined;
  }

  /** The run is over. Those that are still at work work for the next one. */
  end(): void {
    for (const call of [...this.#starting.keys()]) this.notStarted(call);
    for (const worker of this.#workers.values()) this.#wasMade(worker);
    this.#workers.clear();
  }

  #next(id: string, hears: boolean): Promise<Turn | TurnStop> {
    const worker = this.#worker(id);
    this.#wasMade(worker);
    worker.agent.turn.answered();
    return this.#admit(worker, hears);
  }

  // `hears`: can the model be told something in its request?
  async #admit(worker: Worker, hears: boolean): Promise<Turn | TurnStop> {
    const turn = checked(await worker.agent.nextTurn({ signal: this.#signal, hears }));
    if (turn.kind === "stop") return turn;
    if (worker.isEnded) turn.abandon();
    else worker.admitted = turn;
    return turn;
  }

  #wasMade(worker: Worker): void {
    worker.admitted?.sent();
    worker.admitted = undefined;
  }

  #worker(id: string): Worker {
    const known = this.#workers.get(id);
    if (known) return known;
    // The program does not say which call started it. It makes no difference: their first turns are alike.
    const [[call, started] = []] = this.#starting;
    if (call !== undefined) this.#starting.delete(call);
    const worker = started ?? { agent: this.#run.subAgent() };
    this.#workers.set(id, worker);
    return worker;
  }
}
