import type { HookInput, Options, SDKMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Failure } from "../../core/governor/run.ts";

type UserMessage = Extract<SDKMessage, { type: "user" }>;

const TELLS_STATE = "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS";

/** The caller's environment, in which the program says when it is idle: not before its sub-agents are done. */
export function environment({ env = process.env }: Options): NonNullable<Options["env"]> {
  return { ...env, [TELLS_STATE]: "1" };
}

/** The caller's options for the tools-free turn, which resumes the session. */
export function withoutTools(options: Options, sessionId: string): Options {
  const { continue: _, forkSession, sessionId: __, resumeSessionAt, resumeDropsTurn, ...rest } = options;
  return { ...rest, resume: sessionId, tools: [], mcpServers: {}, strictMcpConfig: true, plugins: [] };
}

/** Is the message one that the caller would get without us? Some come only because the loop has to see them. */
export function isWanted(
  message: SDKMessage,
  { includePartialMessages = false, env = process.env }: Options,
): boolean {
  if (message.type === "stream_event") return includePartialMessages;
  if (message.type !== "system") return true;
  if (message.subtype === "session_state_changed") return Boolean(env[TELLS_STATE]);
  return includePartialMessages || message.subtype !== "status" || message.status !== "requesting";
}

/** A background task that is done prompts the agent, too. That refreshes nothing. */
export function isFromPerson({
  source,
  prompt,
}: Extract<HookInput, { hook_event_name: "UserPromptSubmit" }>): boolean {
  return source ? source === "user" || source === "sdk" : !prompt.startsWith("<task-notification>");
}

/** Does the program ask for the object that the model should have given? */
export function asksAgain({ message: { content } }: UserMessage): boolean {
  const [first] = Array.isArray(content) ? content : [];
  return first?.type === "text" && first.text.startsWith("[structured-output-enforce]");
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

/** The calls that succeeded, by a message that has their results. */
export function succeededIn(message: UserMessage): string[] {
  const { content } = message.message;
  if ("isReplay" in message || !Array.isArray(content)) return [];
  return content.flatMap((block) =>
    block.type === "tool_result" && !block.is_error ? [block.tool_use_id] : [],
  );
}

/** How a run ended early, if it did: `stopped` by a limit of the SDK's own. */
export function earlyEnd(result: SDKResultMessage): Failure | "stopped" | undefined {
  const { is_error, subtype, terminal_reason = "completed" } = result;
  if (terminal_reason.startsWith("aborted")) return "aborted";
  if (!is_error) return undefined;
  // The agent did not finish, nothing failed, and nobody cancelled it: a limit ended it, which is none of ours.
  return subtype === "error_max_turns" || subtype === "error_max_budget_usd" ? "stopped" : "failed";
}

/**
 * The one result of a run: its last answer, with what all of them took. The program gives one each time that its main loop
 * has answered: to the prompt, and again when it was told that a sub-agent in the background is done.
 */
export function combined(results: readonly SDKResultMessage[]): SDKResultMessage | undefined {
  const last = results.at(-1);
  if (results.length < 2 || !last) return last;
  const sum = (amount: (result: SDKResultMessage) => number) =>
    results.reduce((total, result) => total + amount(result), 0);
  return {
    // Where the model was not asked, nothing was answered.
    ...(results.findLast(({ num_turns }) => num_turns > 0) ?? last),
    num_turns: sum(({ num_turns }) => num_turns),
    duration_ms: sum(({ duration_ms }) => duration_ms),
    duration_api_ms: last.duration_api_ms,
    // These are the program's totals already.
    total_cost_usd: last.total_cost_usd,
    modelUsage: last.modelUsage,
    permission_denials: results.flatMap(({ permission_denials }) => permission_denials),
  };
}
