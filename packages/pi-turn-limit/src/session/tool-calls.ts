import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ToolCallEvent, ToolResultEvent } from "@earendil-works/pi-coding-agent";
import type { Stop } from "turn-limit";
import type { AgentsBelow } from "../agents/agents-below.ts";
import { type Driver, usageOf } from "../core.ts";

type Content = ToolResultEvent["content"];

/** The tool calls of a session: whether each may begin, and what became of it. */
export class ToolCalls {
  readonly #run: Driver;
  readonly #below: AgentsBelow;

  constructor(run: Driver, below: AgentsBelow) {
    this.#run = run;
    this.#below = below;
  }

  /** A tool call is about to begin. Returns why it must not, for the model to read. */
  async refusal({ toolCallId, toolName, input }: ToolCallEvent): Promise<string | undefined> {
    // What the call starts may draw from the same budgets.
    await this.#run.poolsSettled();
    await this.#below.callBegins(toolCallId);
    return this.#run.refusal({ id: toolCallId, tool: toolName, args: input });
  }

  /** A tool call was really executed. Returns a stop if that is one more than was admitted. */
  executed({ toolCallId, content, isError }: ToolResultEvent): Stop | undefined {
    // Only a limit of repeated calls wants to know the results.
    const isCompared = this.#run.governor.view.settings.repeats.max !== "unlimited";
    if (isCompared) this.#run.stepEnded({ id: toolCallId }, { content: comparable(content), isError });
    return this.#run.governor.stepExecuted();
  }

  /** A tool call's result is in the transcript, with what the call spent by itself, if it says so. */
  async arrived(call: string, usage: AssistantMessage["usage"] | undefined): Promise<void> {
    await this.#below.resultArrived(call, usage && usageOf(usage, undefined));
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
