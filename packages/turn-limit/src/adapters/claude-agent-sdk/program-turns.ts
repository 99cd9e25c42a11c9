import type { Stop } from "../../core/governor/decision.ts";
import type { SubAgent } from "../../run/agent.ts";
import type { Run } from "../../run/run.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";

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

  /** The turn under way of the agent with this id, or of the main loop. */
  of(agentId: string | undefined): Turn {
    return this.#agent(agentId).turn;
  }

  /** The next turn of the agent with this id, or of the main loop, which several hooks may send on into the same one. */
  next(agentId: string | undefined): Promise<Turn | Stop> {
    if (agentId !== undefined) return this.admit(agentId);
    this.#next ??= this.admit(undefined);
    return this.#next;
  }

  /** Another turn, whether or not the agent gets to its next one. The turn under way was answered. */
  async admit(agentId: string | undefined): Promise<Turn | Stop> {
    this.of(agentId).answered();
    const turn = this.#noted(await this.#agent(agentId).nextTurn({ signal: this.#signal }));
    // The program makes the request now, but the tools-free one later.
    const stop = turn.kind === "turn" && turn.tools ? turn.sent() : undefined;
    const admitted = stop ?? turn;
    if (agentId === undefined && admitted.kind === "stop") this.#next = undefined;
    return admitted;
  }

  /** The next request of the main loop is that of this turn. */
  expect(turn: Turn): void {
    this.#next = Promise.resolve(turn);
  }

  /** The main loop has made a request. Was it admitted? */
  requestMade(): boolean {
    const wasAdmitted = this.#next !== undefined;
    this.#next = undefined;
    this.requests += 1;
    return wasAdmitted;
  }

  /** The main loop rests. `asked`: the model was asked something since it last did. */
  rest(asked: boolean): void {
    this.requests = 0;
    this.#run.turn.answered();
    // When several sub-agents are done at once, the program asks the model about all of them in one request.
    if (asked) this.#next = undefined;
  }

  /** A call of this agent is about to start a sub-agent. Why it must not, if the first turn of that is not admitted. */
  async start(call: string, agentId: string | undefined): Promise<Stop | undefined> {
    this.of(agentId).answered();
    const agent = this.#run.subAgent();
    const turn = this.#noted(await agent.nextTurn({ signal: this.#signal }));
    if (turn.kind === "stop") return turn;
    this.#starting.set(call, agent);
    return undefined;
  }

  /** The call was denied, so it starts nothing. */
  notStarted(call: string): void {
    this.#starting.get(call)?.turn.abandon();
    this.#starting.delete(call);
  }

  /** A sub-agent was started, by a call or by something else that told no hook. */
  started(agentId: string): void {
    if (this.#starting.size > 0) this.of(agentId).sent();
  }

  /** A sub-agent has ended. */
  ended(agentId: string): void {
    this.of(agentId).answered();
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

  #noted(turn: Turn | TurnStop): Turn | TurnStop {
    if (turn.kind === "turn" && turn.tools) this.#wrapUp = turn.message ?? this.#wrapUp;
    return turn;
  }

  #agent(id: string | undefined): Pick<SubAgent, "turn" | "nextTurn"> {
    if (id === undefined) return this.#run;
    const known = this.#subAgents.get(id);
    if (known) return known;
    // The program does not say which call started it. It makes no difference: their first turns are alike.
    const [[call, started] = []] = this.#starting;
    if (call !== undefined) this.#starting.delete(call);
    const agent = started ?? this.#run.subAgent();
    this.#subAgents.set(id, agent);
    return agent;
  }
}
