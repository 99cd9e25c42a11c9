import type { StepCall } from "../../core/limits/repeated-calls.ts";
import type { Call } from "../../run/call.ts";
import { type Execution, executeAdmitted } from "../shared/calls.ts";
import { withMethod } from "../shared/with-method.ts";
import type { Progress } from "./progress.ts";
import { inScope } from "./scope.ts";

type Tools = Record<string, unknown>;
interface Tool {
  execute(input: unknown, context?: CallContext): unknown;
}
interface CallContext {
  toolCallId?: string;
  /** What a call that waited for a person is resumed with. */
  resumeData?: unknown;
  abortSignal?: AbortSignal;
  agent?: { toolCallId?: string; resumeData?: unknown };
}

/** The tools of a run. */
export class GovernedTools {
  readonly #progress: Progress;
  // Also by what became of it, so that what is governed already stays as it is.
  readonly #governed = new WeakMap<object, object>();
  // What was governed last: usually the tools are the same in all turns.
  #latest: Tools | undefined;
  // The calls of the turn that took their step. One that waits for a person is called again when it is resumed.
  readonly #admitted = new Map<string, Call>();

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  /** The next turn begins: the calls of the last one have their results. */
  turnBegins(): void {
    this.#admitted.clear();
  }

  /** The tools, governed: the same object if they are already. */
  govern(tools: Tools): Tools {
    if (tools === this.#latest) return tools;
    const governed = Object.entries(tools).map(([name, tool]) => [name, this.#govern(name, tool)] as const);
    const areGoverned = governed.every(([name, tool]) => tool === tools[name]);
    this.#latest = areGoverned ? tools : Object.fromEntries(governed);
    return this.#latest;
  }

  #govern(name: string, tool: unknown): unknown {
    if (!isTool(tool)) return tool;
    const known = this.#governed.get(tool);
    if (known) return known;
    const governed = withMethod(tool, "execute", (input, context) => {
      const id = context?.toolCallId ?? context?.agent?.toolCallId ?? "";
      const resumes = (context?.resumeData ?? context?.agent?.resumeData) != null;
      const execution: Execution = {
        signal: context?.abortSignal,
        run: (own) => tool.execute(input, own ? { ...context, abortSignal: own } : context),
      };
      const progress = this.#progress;
      // A run that is resumed may begin with a call.
      if (!progress.isOpen) progress.begin();
      return progress.duringCall(async () => {
        const begun = resumes ? this.#admitted.get(id) : undefined;
        const call = begun ?? (await this.#admit({ id, tool: name, args: input }));
        return inScope({ caller: progress.agent }, () => executeAdmitted(call, execution));
      });
    });
    this.#governed.set(tool, governed).set(governed, governed);
    return governed;
  }

  async #admit(toolCall: StepCall & { id: string }): Promise<Call> {
    this.#progress.callBegins();
    const call = await this.#progress.agent.turn.call(toolCall);
    if (call.kind === "refused") throw new Error(call.reason);
    this.#admitted.set(toolCall.id, call);
    return call;
  }
}

function isTool(tool: unknown): tool is Tool {
  return typeof tool === "object" && tool !== null && typeof (tool as Partial<Tool>).execute === "function";
}
