import type { Stop } from "../../core/governor/decision.ts";
import type { SubAgent } from "../../run/agent.ts";
import type { Run } from "../../run/run.ts";
import type { Turn } from "../../run/turn.ts";

/** The turns of the program's agents: of its main loop, and of the sub-agents that work for it. */
export class ProgramTurns {
  /** Requests of the main loop since its last answer. */
  requests = 0;
  readonly #run: Run;
  readonly #signal: AbortSignal | undefined;
  /** By their ids. */
  readonly #subAgents = new Map<string, SubAgent>();
  /** By the ids of the calls that start them. The program has yet to give them ids of their own. */
  readonly #starting = new Map<string, SubAgent>();
  /** The next turn of the main loop. Until its request is made, it is the same one. */
  #next: Promise<Turn | Stop> | undefined;
  #wrapUp: string | undefined;

  /** `signal`: ends the wait for a person. */
  constructor(run: Run, signal: AbortSignal | undefined) {
    this.#run = run;
    this.#signal = signal;
  }

  /** The turn of the agent with this id, or of the main loop. */
  of(agentId?: string): Turn {
    return agentId === undefined ? this.#run.turn : this.#subAgent(agentId).turn;
  }

  /** The next turn of the main loop: several hooks may send it on into the same one. */
  next(): Promise<Turn | Stop> {
    this.#next ??= this.admit();
    return this.#next;
  }

  /** Another turn of the main loop, whether or not it gets to the next one. */
  async admit(): Promise<Turn | Stop> {
    const turn = await this.#run.nextTurn({ signal: this.#signal });
    const stop = turn.kind === "stop" ? turn : this.#begin(turn);
    if (stop) this.#next = undefined;
    return stop ?? turn;
  }

  /** The request of this turn comes next. */
  expect(turn: Turn): void {
    this.#next = Promise.resolve(turn);
  }

  /** A request of the main loop is answered. Did a hook tell of it before? */
  requestSeen(): boolean {
    const wasAdmitted = this.#next !== undefined;
    this.#next = undefined;
    this.requests += 1;
    return wasAdmitted;
  }

  /** The main loop rests. `asked`: the model was asked something since it last did. */
  rest(asked: boolean): void {
    this.requests = 0;
    // When several sub-agents are done at once, the program asks the model about all of them in one request.
    if (asked) this.#next = undefined;
  }

  /** The first turn of a sub-agent, which this call starts. */
  async start(call: string): Promise<Turn | Stop> {
    const agent = this.#run.subAgent();
    const turn = await agent.nextTurn({ signal: this.#signal });
    if (turn.kind === "stop") return turn;
    this.#noteWrapUp(turn);
    this.#starting.set(call, agent);
    return turn;
  }

  /** The call was denied, so it started nothing. */
  notStarted(call: string): void {
    this.#starting.get(call)?.turn.abandon();
    this.#starting.delete(call);
  }

  /** A sub-agent has this id. */
  started(agentId: string): void {
    this.#subAgent(agentId).turn.sent();
  }

  /** The next turn of a sub-agent. */
  async nextOf(agentId: string): Promise<Turn | Stop> {
    const turn = await this.#subAgent(agentId).nextTurn({ signal: this.#signal });
    return turn.kind === "stop" ? turn : (this.#begin(turn) ?? turn);
  }

  /** A sub-agent has answered the one that started it. */
  ended(agentId: string): void {
    this.#subAgent(agentId).turn.answered();
    this.#subAgents.delete(agentId);
  }

  /** What the main loop has to be told, once, whichever agent's turn made that due. */
  takeWrapUp(): string | undefined {
    const message = this.#wrapUp;
    this.#wrapUp = undefined;
    return message;
  }

  /** The run is over. Sub-agents that are still at work work for the next one. */
  forget(): void {
    this.#subAgents.clear();
    this.#starting.clear();
    this.#next = this.#wrapUp = undefined;
  }

  // The program is about to make the request. The tools-free one is made later.
  #begin(turn: Turn): Stop | undefined {
    this.#noteWrapUp(turn);
    return turn.tools ? turn.sent() : undefined;
  }

  #noteWrapUp({ message, tools }: Turn): void {
    if (tools) this.#wrapUp = message ?? this.#wrapUp;
  }

  // The program does not say which call started the agent. It makes no difference: their first turns are alike.
  #subAgent(id: string): SubAgent {
    const known = this.#subAgents.get(id);
    if (known) return known;
    const [[call, started] = []] = this.#starting;
    if (call !== undefined) this.#starting.delete(call);
    const agent = started ?? this.#run.subAgent();
    this.#subAgents.set(id, agent);
    return agent;
  }
}
