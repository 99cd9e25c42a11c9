import type { FunctionTool } from "@openai/agents";

type Invoke = FunctionTool["invoke"];

const originals = new WeakMap<FunctionTool, Invoke>();

/**
 * Puts something around the call of a tool that the host is about to make. The host knows a tool by its `invoke`, also
 * in what it saves, so that is another one only until the call, which comes at once.
 */
export function aroundNextCall(
  tool: FunctionTool,
  around: (details: Parameters<Invoke>[2], invoke: () => Promise<unknown>) => Promise<unknown>,
): void {
  const invoke = originals.get(tool) ?? tool.invoke;
  const restore = () => {
    tool.invoke = invoke;
    originals.delete(tool);
  };
  originals.set(tool, invoke);
  tool.invoke = (context, input, details) => {
    restore();
    return around(details, async () => invoke.call(tool, context, input, details));
  };
  // A guardrail may answer in place of the tool.
  queueMicrotask(restore);
}
