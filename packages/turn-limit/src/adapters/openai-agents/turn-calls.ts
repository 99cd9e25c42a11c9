import type { FunctionTool, protocol, RunContext, ToolUseBehavior } from "@openai/agents";
import type { StepCall } from "../../core/limits/repeated-calls.ts";
import type { Call, Refused } from "../../run/call.ts";
import type { Turn } from "../../run/turn.ts";
import type { Executed } from "../../run/work.ts";
import { eitherSignal } from "../shared/hosted-agent.ts";
import { isAgent, nestedContext } from "./contexts.ts";

type Invoke = FunctionTool["invoke"];
type Details = Parameters<Invoke>[2];
type ErrorFunction = (context: RunContext<unknown>, error: Error, details: Details) => unknown;

/** The tool calls of one turn. */
export class TurnCalls {
  readonly #turn: Turn;
  readonly #begun: readonly string[];
  readonly #executed = new Map<string, Call>();
  /** The first call of each tool. */
  readonly #first = new Map<string, protocol.FunctionCallItem>();
  readonly #withoutResult = new Set<protocol.FunctionCallItem>();
  /** The result of the final tool. */
  delivered: unknown;

  /** `begun`: calls that began before the run was saved, as `tool:id`. */
  constructor(turn: Turn, begun: readonly string[] = []) {
    this.#turn = turn;
    this.#begun = begun;
  }

  /**
   * Limits the call of a tool that the host is about to make. Only here is it certain: what a person denies, or a
   * guardrail answers, is not called.
   */
  wrapNext(tool: FunctionTool, call: protocol.FunctionCallItem): void {
    replaceNextInvoke(tool, async (invoke, context, input, details) => {
      const within = isAgent(tool) ? nestedContext(context) : context;
      if (!this.#first.has(call.name)) this.#first.set(call.name, call);
      const executed = await this.#execute(call, details, () => invoke.call(tool, within, input, details));
      if (executed.kind === "result") return executed.result;
      this.#withoutResult.add(call);
      return worded(tool, executed.reason, context, details);
    });
  }

  /**
   * May this rule of the host's find a final answer in the results? Not where it may take for one why a call was not run, or
   * was cut off: of a tool's results the rules that are no functions take the first.
   */
  mayEndBy(rule: ToolUseBehavior): boolean {
    const without = this.#withoutResult;
    if (typeof rule === "function") return without.size === 0;
    return ![...this.#first.values()].some((call) => without.has(call));
  }

  // The result of a call, or why it did not run or was cut off.
  async #execute(
    call: protocol.FunctionCallItem,
    details: Details,
    invoke: () => ReturnType<Invoke>,
  ): Promise<Executed<unknown>> {
    const admission = this.#admit(call);
    // Awaited only if it has to be, so that calls at once begin in the order in which they do without limits.
    const admitted = admission instanceof Promise ? await admission : admission;
    if (admitted.kind === "refused") return { kind: "cut-off", reason: admitted.reason };
    this.#executed.set(call.callId, admitted);
    const executed = await admitted.execute((cutOff) => {
      if (details && cutOff) details.signal = eitherSignal(details.signal, cutOff);
      return invoke();
    });
    if (admitted.isAnswer && executed.kind === "result") this.delivered = executed.result;
    return executed;
  }

  // An agent given as a tool is called again once what it waited for is approved: that is still the same call.
  #admit(call: protocol.FunctionCallItem): Call | Refused | Promise<Call | Refused> {
    const { callId: id } = call;
    const executed = this.#executed.get(id);
    if (executed) return executed;
    if (this.#begun.some((name) => name.endsWith(`:${id}`))) return this.#turn.callAgain({ id });
    return this.#turn.call(new FunctionCall(call));
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

/** What the model reads instead of a result. If the results of the tool have a schema, the tool words its errors. */
function worded(tool: FunctionTool, reason: string, context: RunContext<unknown>, details: Details): unknown {
  const { errorFunction } = tool as { errorFunction?: ErrorFunction | null };
  return errorFunction ? errorFunction(context, new Error(reason), details) : reason;
}

interface Replaced {
  invoke: Invoke;
  /** Is it the tool's own, and not its prototype's? */
  own: boolean;
}

// Only for as long as it takes to make the call.
const replaced = new Map<FunctionTool, Replaced>();
const soon = Promise.resolve();

/**
 * The host knows a tool by its `invoke`, also in what it saves, so that is replaced only until the call, which follows
 * at once.
 */
function replaceNextInvoke(
  tool: FunctionTool,
  call: (invoke: Invoke, context: RunContext<unknown>, input: string, details: Details) => Promise<unknown>,
): void {
  const original = replaced.get(tool) ?? { invoke: tool.invoke, own: Object.hasOwn(tool, "invoke") };
  replaced.set(tool, original);
  tool.invoke = (context, input, details) => {
    restore(tool);
    return call(original.invoke, context, input, details) as ReturnType<Invoke>;
  };
  // A guardrail may answer instead of the tool.
  soon.then(() => restore(tool));
}

function restore(tool: FunctionTool): void {
  const original = replaced.get(tool);
  if (!original) return;
  replaced.delete(tool);
  if (original.own) tool.invoke = original.invoke;
  else Reflect.deleteProperty(tool, "invoke");
}
