import type { Driver } from "../../driver/driver.ts";
import type { StepCall } from "../../limits/repeated-calls.ts";
import { type Execution, executeCall } from "../shared/execute-call.ts";
import type { ToolPhase } from "./tool-phase.ts";

type Tools = Record<string, unknown>;
type Execute = (input: unknown, context: CallContext) => unknown;
interface CallContext {
  toolCallId?: string;
  abortSignal?: AbortSignal;
  agent?: { toolCallId?: string };
}

/** A tool call of the model's. */
interface ToolCall extends StepCall {
  id: string;
}

/** The tools of a run. Their calls are admitted in the order in which the model made them, however they are started. */
export class GovernedTools {
  readonly #driver: Driver;
  readonly #phase: ToolPhase;
  readonly #governed = new WeakMap<object, object>();
  #offered: Tools = {};
  #undecided: ToolCall[] = [];
  readonly #refusals = new Map<string, string | undefined>();

  constructor(driver: Driver, phase: ToolPhase) {
    this.#driver = driver;
    this.#phase = phase;
  }

  /** The tools of the turn that begins, governed. */
  offer(tools: Tools): Tools {
    this.#undecided = [];
    this.#refusals.clear();
    this.#offered = Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, this.#govern(name, tool)]),
    );
    return this.#offered;
  }

  /** The model made this call. */
  called(call: ToolCall & { tool: string }): void {
    if (Object.hasOwn(this.#offered, call.tool)) this.#undecided.push(call);
  }

  #govern(name: string, tool: unknown): unknown {
    if (typeof tool !== "object" || tool === null || !("execute" in tool)) return tool;
    const known = this.#governed.get(tool);
    if (known) return known;
    const execute: Execute = (input, context) => {
      const call = { id: context.toolCallId ?? context.agent?.toolCallId ?? "", tool: name, args: input };
      const run: Execution["run"] = (own) =>
        (tool.execute as Execute)(input, own ? { ...context, abortSignal: own } : context);
      return this.#phase.during(async () => {
        const refusal = this.#refusalOf(call);
        if (refusal !== undefined) throw new Error(refusal);
        return executeCall(this.#driver, { call, signal: context.abortSignal, run });
      });
    };
    // A proxy, because the host recognises its own tools by their class.
    const governed = new Proxy(tool, {
      get: (target, key) =>
        key === "execute" && target.execute ? execute : Reflect.get(target, key, target),
    });
    this.#governed.set(tool, governed);
    return governed;
  }

  #refusalOf(call: ToolCall): string | undefined {
    while (!this.#refusals.has(call.id)) {
      const next = this.#undecided.shift() ?? call;
      // A tool may take turns of the same run, so the turn that called it is over now. Its usage is not known yet.
      this.#driver.turnEnded();
      this.#refusals.set(next.id, this.#driver.refusal(next));
    }
    const refusal = this.#refusals.get(call.id);
    this.#refusals.delete(call.id);
    return refusal;
  }
}
