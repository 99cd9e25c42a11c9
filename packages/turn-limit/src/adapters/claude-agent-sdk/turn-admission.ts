import type { SyncHookJSONOutput } from "@anthropic-ai/claude-agent-sdk";
import type { Stop } from "../../core/governor/decision.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import { notRunAnymore } from "../../core/words.ts";
import type { Run } from "../../run/run.ts";
import { joinedTexts, type Turn, type TurnStop } from "../../run/turn.ts";
import type { FinalTool } from "../shared/hosted-agent.ts";
import type { LoopPhase } from "./loop-phase.ts";
import { MainTurns } from "./main-turns.ts";
import { SubAgentTurns } from "./sub-agent-turns.ts";
import type { SessionUsage } from "./usage.ts";

/** An event after which the program makes a request. */
export interface TurnEvent {
  hook_event_name: "UserPromptSubmit" | "PostToolBatch" | "Stop" | "SubagentStop";
  agent_id?: string | undefined;
}

/** What admits turns needs of the query. */
interface Admitting {
  readonly run: Run;
  readonly usage: SessionUsage;
  readonly phase: LoopPhase;
  /** The caller's own, which ends the wait for a person. */
  readonly signal: AbortSignal | undefined;
  /** The tool with which the main loop gives its answer. */
  finalTool(): FinalTool;
  /** The run was aborted, because its time is up. */
  onAborted(): void;
}

/** Admits the turns of the program's agents, and says what the program is answered. */
export class TurnAdmission {
  readonly main: MainTurns;
  readonly subAgents: SubAgentTurns;
  readonly #in: Admitting;
  /** What the main loop has to be told, once, whichever agent's turn made that due. */
  #wrapUp: string | undefined;
  /** The turn of which its agent was told last what it has left. Several hooks may ask for one turn. */
  #toldIn: Turn | undefined;

  constructor(admitting: Admitting) {
    this.#in = admitting;
    this.main = new MainTurns(admitting.run, admitting.signal, admitting.finalTool);
    this.subAgents = new SubAgentTurns(admitting.run, admitting.signal);
  }

  /** The turn under way of the agent with this id, or of the main loop. */
  turnOf(agentId: string | undefined): Turn {
    return agentId === undefined ? this.main.turn : this.subAgents.turnOf(agentId);
  }

  /** The next turn after an event: what the program is answered. */
  async next({ hook_event_name, agent_id }: TurnEvent): Promise<SyncHookJSONOutput> {
    await this.#in.usage.report();
    if (this.#mustEnd) return { continue: false };
    const isMain = agent_id === undefined;
    const turn = await this.#admitted(isMain ? this.main.next() : this.subAgents.next(agent_id));
    const boundary = boundaryOf(turn);
    if (boundary) return { continue: false, stopReason: notRunAnymore(boundary) };
    const message = joinedTexts(isMain ? this.#takeWrapUp() : undefined, this.#takeTold(turn));
    if (message === undefined) return {};
    return {
      hookSpecificOutput: { hookEventName: hook_event_name, additionalContext: message },
    } as SyncHookJSONOutput;
  }

  /**
   * The program makes a request that no hook announced: the answer before it was cut short or empty, or a hook from its
   * settings sent it on. Must it end? By then, the request can no longer be held back.
   */
  async unannounced(): Promise<boolean> {
    await this.#in.usage.report();
    if (this.#in.phase.isClosed) return false;
    return this.#endsAt(await this.#admitted(this.main.unannounced()));
  }

  /** A sub-agent made a request that no hook announced. Must it end? */
  async unannouncedOf(agentId: string): Promise<boolean> {
    return this.#endsAt(await this.#admitted(this.subAgents.unannounced(agentId)));
  }

  /** A call is about to start a sub-agent. Why it must not, if the first turn of that is not admitted. */
  async startSubAgent(call: string, parentId: string | undefined): Promise<Stop | undefined> {
    await this.#in.usage.report();
    this.turnOf(parentId).answered();
    const turn = this.#noted(await this.subAgents.start(call));
    return turn.kind === "stop" ? turn : undefined;
  }

  /** The tools-free turn is due, after the program was cut off. `reason`: what the model reads. */
  async last(reason: string): Promise<void> {
    await this.#in.usage.report();
    const { synthesizing, stop } = this.#in.run.view;
    if (synthesizing && !stop) await this.#admitted(this.main.last(), reason);
  }

  /** The run is over. */
  end(): void {
    this.main.end();
    this.subAgents.end();
    this.#wrapUp = this.#toldIn = undefined;
  }

  /** A turn, or where its agent must end. `reason`: what the model reads if it was cut off. */
  async #admitted(admission: Promise<Turn | TurnStop>, reason?: string): Promise<Turn | TurnStop> {
    const turn = this.#noted(await admission);
    if (turn.kind === "stop") return turn;
    if (turn.lastBecauseOf) this.#in.phase.enter({ kind: "last turn", turn, reason });
    // It is aborted where the time limit cannot be looked at.
    turn.signal.addEventListener("abort", this.#aborted);
    return turn;
  }

  #endsAt(turn: Turn | TurnStop): boolean {
    const { run } = this.#in;
    const boundary = boundaryOf(turn);
    // It was made all the same. The second count says so.
    if (boundary && run.view.stop?.outcome === "stopped") run.turn.sent();
    return boundary !== undefined;
  }

  get #mustEnd(): boolean {
    const { signal, run, phase } = this.#in;
    return signal?.aborted || run.turn.signal.aborted || phase.mustEnd;
  }

  #noted(turn: Turn | TurnStop): Turn | TurnStop {
    if (turn.kind === "turn" && turn.tools) this.#wrapUp = turn.directive ?? this.#wrapUp;
    return turn;
  }

  #takeWrapUp(): string | undefined {
    const message = this.#wrapUp;
    this.#wrapUp = undefined;
    return message;
  }

  /** What an agent has left, for the request of its turn. */
  #takeTold(turn: Turn | TurnStop): string | undefined {
    if (turn.kind === "stop" || turn === this.#toldIn) return undefined;
    this.#toldIn = turn;
    return turn.told;
  }

  readonly #aborted = (): void => this.#in.onAborted();
}

/** Where the agent must end instead of taking a turn, if it must. */
function boundaryOf(turn: Turn | TurnStop): Boundary | undefined {
  return turn.kind === "stop" ? turn : turn.lastBecauseOf;
}
