import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ToolCallEvent, ToolCallEventResult, ToolResultEvent } from "@earendil-works/pi-coding-agent";
import type { AgentsBelow } from "../agents/agents-below.ts";
import { type Call, type Run, usageOf } from "../core.ts";
import type { Counters } from "../display/counters.ts";
import type { Brake } from "./brake.ts";

type Content = ToolResultEvent["content"];

/** A tool's result, as far as it says whether the run ends with its batch. */
interface ToolEnd {
  terminate?: boolean;
}

/** The tool calls of a session: whether each may begin, and what became of it. */
export class ToolCalls {
  readonly #run: Run;
  readonly #below: AgentsBelow;
  readonly #counters: Counters;
  readonly #brake: Brake;
  /** Those that may run, and have not been executed yet. */
  readonly #admitted = new Map<string, Call>();
  /** Those of the last answer that have no result yet, and whether another turn follows them. */
  readonly #awaited = new Set<string>();
  /** The results of the last answer's calls so far. */
  #results: ToolEnd[] = [];
  #goesOn = false;

  constructor(run: Run, below: AgentsBelow, counters: Counters, brake: Brake) {
    this.#run = run;
    this.#below = below;
    this.#counters = counters;
    this.#brake = brake;
  }

  /** A tool call is about to begin: lets it, or has Pi give the model the reason why not. */
  async before({ toolCallId, toolName, input }: ToolCallEvent): Promise<ToolCallEventResult | undefined> {
    // What the call starts may draw from the same budgets.
    await this.#run.shared.done();
    await this.#below.callBegins(toolCallId);
    const call = await this.#run.turn.call({ id: toolCallId, tool: toolName, args: input });
    this.#counters.show();
    if (call.kind === "refused") return { block: true, reason: call.reason };
    this.#admitted.set(toolCallId, call);
    return undefined;
  }

  /** A tool call was really executed. */
  async executed({ toolCallId, content, isError }: ToolResultEvent): Promise<void> {
    const call = this.#admitted.get(toolCallId);
    this.#admitted.delete(toolCallId);
    // Only a limit of repeated calls wants to know the results.
    const isCompared = this.#run.view.settings.repeats.max !== "unlimited";
    call?.executed();
    if (isCompared || call?.isAnswer) call?.ended({ content: comparable(content), isError }, isError);
    await this.#brake.stopping;
  }

  /** The run is over: those that were not executed will not be. */
  reset(): void {
    this.#admitted.clear();
  }

  /** The model answered. Did it make tool calls? */
  answered({ content }: AssistantMessage): boolean {
    this.#awaited.clear();
    this.#results = [];
    this.#goesOn = false;
    for (const part of content) if (part.type === "toolCall") this.#awaited.add(part.id);
    return this.#awaited.size > 0;
  }

  /** Does another turn follow the calls of the last answer? */
  get goesOn(): boolean {
    return this.#goesOn;
  }

  /**
   * A tool call ended; one that says `terminate` wants the run to end with its batch. So do we for all of them if the answer
   * was given and no other turn can begin: Pi has no other way to end a run that is done.
   */
  ended(id: string, result: ToolEnd | undefined): void {
    if (result) this.#results.push(result);
    if (this.#run.isDone) for (const one of this.#results) one.terminate = true;
    if (this.#awaited.has(id) && result?.terminate !== true) this.#goesOn = true;
  }

  /**
   * A tool call's result is in the transcript, with what the call spent by itself, if it says so. Was it the last of the
   * turn, with another turn to come?
   */
  async arrived(id: string, usage: AssistantMessage["usage"] | undefined): Promise<boolean> {
    await this.#below.resultArrived(id, usage && usageOf(usage, undefined));
    return this.#awaited.delete(id) && this.#awaited.size === 0 && this.#goesOn;
  }
}

// Pi writes output that is too long to show to a file, with a new name each time.
const KEPT_OUTPUT = /pi-bash-[0-9a-f]+/g;

// Without what differs between equal calls.
function comparable(content: Content): Content {
  return content.map((part) =>
    part.type === "text" ? { ...part, text: part.text.replaceAll(KEPT_OUTPUT, "pi-bash") } : part,
  );
}
