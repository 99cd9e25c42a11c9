import type { HookEvent, HookJSONOutput, Options, Query, SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type { QueryFunction } from "../../../src/adapters/claude-agent-sdk/index.ts";

/** What a program can do that plays a part that the real one plays too rarely. */
export interface Stage {
  options: Options;
  /** Tells the hooks of an event, and returns what they answer. */
  tell(event: HookEvent, input?: object): Promise<HookJSONOutput[]>;
}

/** A `query` whose program is a script. */
export function fakeQuery(script: (stage: Stage) => AsyncGenerator<object, void>): QueryFunction {
  return ({ options = {} }) => {
    const messages = script({
      options,
      async tell(event, input = {}) {
        const hooks = (options.hooks?.[event] ?? []).flatMap((matcher) => matcher.hooks);
        const { tool_use_id } = input as { tool_use_id?: string };
        const told = { hook_event_name: event, session_id: "session", ...input };
        return Promise.all(hooks.map((hook) => hook(told as never, tool_use_id, { signal: NEVER })));
      },
    }) as AsyncGenerator<SDKMessage, void>;
    const methods = {
      interrupt: async () => {},
      close: () => {},
      usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: () => Promise.reject(new Error("gone")),
    };
    return Object.assign(messages, methods) as unknown as Query;
  };
}

const NEVER = new AbortController().signal;

/** The main loop makes a request. */
export const requesting = {
  type: "system",
  subtype: "status",
  status: "requesting",
  session_id: "session",
};

/** The beginning of an answer of the main loop. */
export const answerBegins = {
  type: "stream_event",
  parent_tool_use_id: null,
  session_id: "session",
  event: { type: "message_start", message: { model: "model", usage: {} } },
};

/** The result of a tool call. */
export function toolResult(id: string, more: object = {}): object {
  const block = { type: "tool_result", tool_use_id: id, content: "x" };
  return {
    type: "user",
    parent_tool_use_id: null,
    session_id: "session",
    message: { role: "user", content: [{ ...block, ...more }] },
  };
}

/** The result of a run. */
export const runResult = {
  type: "result",
  subtype: "success",
  session_id: "session",
  num_turns: 1,
  is_error: false,
  result: "done",
  total_cost_usd: 0,
  modelUsage: {},
  duration_ms: 0,
  duration_api_ms: 0,
  permission_denials: [],
};
