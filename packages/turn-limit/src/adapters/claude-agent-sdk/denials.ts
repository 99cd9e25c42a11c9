import type {
  CanUseTool,
  HookCallbackMatcher,
  HookJSONOutput,
  SDKMessage,
} from "@anthropic-ai/claude-agent-sdk";

/** Told the id of a tool call that somebody denied. */
type OnDenied = (id: string) => void;

/** The caller's hooks before tool calls, which may deny them. */
export function tellingHooks(own: HookCallbackMatcher[], onDenied: OnDenied): HookCallbackMatcher[] {
  return own.map((matcher) => ({
    ...matcher,
    hooks: matcher.hooks.map((hook) => async (input, id, options) => {
      const output = await hook(input, id, options);
      if (id !== undefined && denies(output)) onDenied(id);
      return output;
    }),
  }));
}

/** The caller's permission dialog, in which a person may deny a call. */
export function tellingDialog(canUseTool: CanUseTool, onDenied: OnDenied): CanUseTool {
  return async (tool, input, options) => {
    const answer = await canUseTool(tool, input, options);
    if (answer?.behavior === "deny") onDenied(options.toolUseID);
    return answer;
  };
}

/** The calls of which the program says that they were denied, also by rules and hooks of its settings. */
export function deniedIn(message: SDKMessage): string[] {
  if (message.type === "system" && message.subtype === "permission_denied") return [message.tool_use_id];
  if (message.type !== "user" || !("tool_result_meta" in message)) return [];
  // It is not in the SDK's types.
  const told: unknown = message.tool_result_meta;
  return (Array.isArray(told) ? told : [])
    .filter((meta) => meta?.permission_decision?.decision === "reject" && typeof meta.id === "string")
    .map(({ id }) => id);
}

function denies(output: HookJSONOutput): boolean {
  if (!output || "async" in output) return false;
  const { decision, hookSpecificOutput: more } = output;
  return decision === "block" || (more?.hookEventName === "PreToolUse" && more.permissionDecision === "deny");
}
