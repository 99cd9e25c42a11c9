import type { FunctionTool, protocol } from "@openai/agents";
import type { Driver } from "../../driver/driver.ts";
import { abortReason, untilAborted } from "../../driver/until-aborted.ts";
import type { StepCall } from "../../limits/repeated-calls.ts";

type Invoke = FunctionTool["invoke"];
type Details = Parameters<Invoke>[2];

/** The tool calls of a loop's turn, by their ids. */
export class ToolCalls {
  readonly #driver: Driver;
  readonly #callsCut: AbortController;
  readonly #made = new Map<string, StepCall>();
  readonly #refusals = new Map<string, string | undefined>();
  readonly #executed = new Set<string>();

  /** `callsCut` is aborted when a call is cut off: after that no call runs in the whole run. */
  constructor(driver: Driver, callsCut: AbortController) {
    this.#driver = driver;
    this.#callsCut = callsCut;
  }

  /** The turn is over. */
  clear(): void {
    this.#made.clear();
    this.#refusals.clear();
    this.#executed.clear();
  }

  /** The model made a call. */
  made(call: protocol.ToolCallItem): void {
    if (call.type === "function_call") this.#made.set(call.callId, new FunctionCall(call));
  }

  /** Why a call must not run. The host may ask several times about one call, which counts once. */
  refusal(id: string): string | undefined {
    if (!this.#refusals.has(id)) this.#refusals.set(id, this.#driver.refusal(this.#made.get(id) ?? { id }));
    return this.#refusals.get(id);
  }

  /** The result of a call, or why it was cut off. */
  async execute(id: string, details: Details, invoke: () => Promise<unknown>): Promise<unknown> {
    // An agent given as a tool is called again once what it waited for is approved: that is still the same call.
    if (this.#executed.has(id)) {
      const { signal } = this.#driver;
      return untilAborted(signal, invoke(), () => abortReason(signal));
    }
    this.#executed.add(id);
    if (details && this.#driver.governor.view.timeLeft !== undefined) this.#addCutOffSignal(details);
    const executed = await this.#driver.execute({ id }, invoke);
    if (executed.kind === "result") return executed.result;
    this.#callsCut.abort();
    return executed.reason;
  }

  #addCutOffSignal(details: NonNullable<Details>): void {
    const { signal } = details;
    details.signal = AbortSignal.any(signal ? [signal, this.#callsCut.signal] : [this.#callsCut.signal]);
  }
}

class FunctionCall implements StepCall {
  readonly id: string;
  readonly tool: string;
  readonly #arguments: string;

  constructor({ callId, name, arguments: json }: protocol.FunctionCallItem) {
    this.id = callId;
    this.tool = name;
    this.#arguments = json;
  }

  /** Parsed only if calls are compared. */
  get args(): unknown {
    try {
      return JSON.parse(this.#arguments);
    } catch {
      return this.#arguments;
    }
  }
}

const originals = new WeakMap<FunctionTool, Invoke>();

/**
 * Wraps the call of a tool that the host is about to make. The host knows a tool by its `invoke`, also in what it saves,
 * so `invoke` is replaced only until the call, which follows at once.
 */
export function wrapNextCall(
  tool: FunctionTool,
  wrap: (details: Details, invoke: () => Promise<unknown>) => Promise<unknown>,
): void {
  const invoke = originals.get(tool) ?? tool.invoke;
  const restore = () => {
    tool.invoke = invoke;
    originals.delete(tool);
  };
  originals.set(tool, invoke);
  tool.invoke = (context, input, details) => {
    restore();
    return wrap(details, async () => invoke.call(tool, context, input, details));
  };
  // A guardrail may answer instead of the tool.
  queueMicrotask(restore);
}
