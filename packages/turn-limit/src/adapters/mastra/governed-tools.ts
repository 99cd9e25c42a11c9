import type { Driver } from "../../pools/old-driver/driver.ts";
import { type Execution, executeCall, executeCallAgain } from "../shared/execute-call.ts";
import { withMethod } from "../shared/with-method.ts";
import { inScope } from "./scope.ts";
import type { ToolPhase } from "./tool-phase.ts";

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
  readonly #driver: Driver;
  readonly #phase: ToolPhase;
  readonly #beforeCall: () => void;
  // Also by what became of it, so that what is governed already stays as it is.
  readonly #governed = new WeakMap<object, object>();
  // What was governed last: usually the tools are the same in all turns.
  #latest: Tools | undefined;
  // The calls of the turn that took their step. One that waits for a person is called again when it is resumed.
  readonly #admitted = new Set<string>();

  /** `beforeCall`: a run that is resumed may begin with a call. */
  constructor(driver: Driver, phase: ToolPhase, beforeCall: () => void) {
    this.#driver = driver;
    this.#phase = phase;
    this.#beforeCall = beforeCall;
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
      const resumes = (context?.resumeData ?? context?.agent?.resumeData) != null && this.#admitted.has(id);
      const execution: Execution = {
        call: { id, tool: name, args: input },
        signal: context?.abortSignal,
        run: (own) => tool.execute(input, own ? { ...context, abortSignal: own } : context),
      };
      this.#beforeCall();
      return this.#phase.during(() => (resumes ? this.#resume(execution) : this.#execute(id, execution)));
    });
    this.#governed.set(tool, governed).set(governed, governed);
    return governed;
  }

  async #execute(id: string, execution: Execution): Promise<unknown> {
    const driver = this.#driver;
    // A tool may take turns of the same run, so the turn that called it is over now. Its usage is not known yet.
    driver.turnEnded();
    const refusal = await driver.refusal(execution.call);
    if (refusal !== undefined) throw new Error(refusal);
    this.#admitted.add(id);
    return inScope({ driver }, () => executeCall(driver, execution));
  }

  async #resume(execution: Execution): Promise<unknown> {
    const driver = this.#driver;
    return inScope({ driver }, () => executeCallAgain(driver, execution));
  }
}

function isTool(tool: unknown): tool is Tool {
  return typeof tool === "object" && tool !== null && typeof (tool as Partial<Tool>).execute === "function";
}
