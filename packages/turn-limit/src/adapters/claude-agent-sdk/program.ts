import type { HookInput, Options, SDKMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Failure } from "../../core/governor/run-state.ts";

type UserMessage = Extract<SDKMessage, { type: "user" }>;

const TELLS_STATE = "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS";

/** The caller's environment, in which the program says when it is idle: not before its sub-agents are done. */
export function environment({ env = process.env }: Options): NonNullable<Options["env"]> {
  return { ...env, [TELLS_STATE]: "1" };
}

/** With `outputFormat` the model answers by calling this tool of the program. That is an answer, and no step. */
export const ANSWER = "StructuredOutput";

/**
 * The caller's options for the last turn, which resumes the session: without tools, or with the final one alone. `known`: what
 * the program has offered before.
 */
export function forLastTurn(
  options: Options,
  sessionId: string,
  { finalTool, known }: { finalTool: string | undefined; known: readonly string[] },
): Options {
  const { continue: _, forkSession, sessionId: __, resumeSessionAt, resumeDropsTurn, ...rest } = options;
  const { mcpServers = {}, disallowedTools = [] } = options;
  const last = { ...rest, resume: sessionId, tools: [], mcpServers: {}, strictMcpConfig: true, plugins: [] };
  // The program has its own for an answer with a form, whatever it is told.
  if (finalTool === undefined || finalTool === ANSWER) return last;
  const server = serverOf(finalTool, mcpServers);
  if (server === undefined) return { ...last, tools: [finalTool] };
  const others = known.filter((name) => name !== finalTool);
  return {
    ...last,
    mcpServers: Object.fromEntries(Object.entries(mcpServers).filter(([name]) => name === server)),
    disallowedTools: [...disallowedTools, ...others],
  };
}

/** Can the program be given this tool alone? One of a server that is not the caller's is gone with its settings. */
export function canBeLast(tool: string, { mcpServers = {} }: Options): boolean {
  return !tool.startsWith(MCP) || serverOf(tool, mcpServers) !== undefined;
}

const MCP = "mcp__";

/** Which of the servers a tool is of, by the name that the program has for it. */
function serverOf(tool: string, servers: NonNullable<Options["mcpServers"]>): string | undefined {
  return Object.keys(servers).find((name) =>
    tool.startsWith(`${MCP}${name.replace(/[^a-zA-Z0-9_-]/g, "_")}__`),
  );
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

/** What the program says of the result of a call. It is not in the SDK's types. */
interface ResultMeta {
  id?: unknown;
  non_execution_kind?: unknown;
  permission_decision?: { decision?: unknown };
}

/** What a message says of a summary of the conversation that the program makes before a request. */
export function summaryIn(
  message: Extract<SDKMessage, { type: "system" }>,
): "begins" | "made" | "failed" | undefined {
  if (message.subtype !== "status") return undefined;
  if (message.status === "compacting") return "begins";
  const { compact_result: result } = message;
  return result && (result === "success" ? "made" : "failed");
}

/** How the program corrects itself where it said that a call was refused, but had begun it. */
const HAD_BEGUN = "this call was stopped while running";

/**
 * The calls of which the program says that they did not run: denied, also by rules and hooks of its settings, or cancelled
 * before they began.
 */
export function notRunIn(message: SDKMessage): string[] {
  if (message.type === "system" && message.subtype === "permission_denied") return [message.tool_use_id];
  if (message.type !== "user" || !("tool_result_meta" in message)) return [];
  const { tool_result_meta: told } = message;
  const began = new Set(
    resultsIn(message).flatMap((result) => (hadBegun(result) ? [result.tool_use_id] : [])),
  );
  return ((Array.isArray(told) ? told : []) as ResultMeta[]).flatMap((meta) => {
    const { id, non_execution_kind: kind, permission_decision: permission } = meta ?? {};
    const isDenied = permission?.decision === "reject" || kind === "cancelled" || kind === "user-rejected";
    return isDenied && typeof id === "string" && !began.has(id) ? [id] : [];
  });
}

/** The calls that succeeded, by a message that has their results. */
export function succeededIn(message: UserMessage): string[] {
  return resultIdsIn(message, false);
}

/** The calls of which the message says that they failed. */
export function failedIn(message: UserMessage): string[] {
  return resultIdsIn(message, true);
}

function resultIdsIn(message: UserMessage, failed: boolean): string[] {
  if ("isReplay" in message) return [];
  return resultsIn(message).flatMap(({ is_error, tool_use_id }) =>
    (is_error === true) === failed ? [tool_use_id] : [],
  );
}

type ToolResult = Extract<
  Exclude<UserMessage["message"]["content"], string>[number],
  { type: "tool_result" }
>;

function resultsIn({ message: { content } }: UserMessage): ToolResult[] {
  return Array.isArray(content) ? content.filter((block) => block.type === "tool_result") : [];
}

function hadBegun({ content }: ToolResult): boolean {
  return JSON.stringify(content ?? "").includes(HAD_BEGUN);
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
