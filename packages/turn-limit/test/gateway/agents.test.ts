import { expect, test } from "vitest";
import type { Json, Protocol } from "../../src/gateway/protocols/protocol.ts";
import { PROFILES } from "../../src/launch/launch.ts";

const tools = [{ name: "Bash" }];
const says = (role: string, ...texts: string[]) => ({
  role,
  content: texts.map((text) => ({ type: "text", text })),
});
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_2", content: "one" }] };
const summarise =
  "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do NOT use Read, Bash, Grep, Glob, Edit, Write, or ANY other tool.";

const claude = {
  "user-agent": "claude-cli/2.1.325 (external, sdk-cli)",
  "x-app": "cli",
  "x-claude-code-session-id": "s",
};

const about = {
  session_id: "s",
  thread_id: "t",
  agent_name: "/root",
  turn_id: "p",
  root_turn_id: "p",
  window_number: 0,
  request_kind: "turn",
  thread_source: "user",
  turn_trigger: "exec",
};
const codex = (
  more: Json,
  agent = "codex_exec/0.166.0 (Debian 12.0.0; x86_64) xterm (codex_exec; 0.166.0)",
) => ({
  "user-agent": agent,
  "x-codex-turn-metadata": JSON.stringify({ ...about, ...more }),
});
const input = [{ type: "message", role: "user", content: [{ type: "input_text", text: "go" }] }];

const opencode = {
  "user-agent": "opencode/1.18.33 ai-sdk/provider-utils/4.0.46 runtime/bun/1.3.14",
  "x-session-id": "s",
};
const zen = {
  "user-agent": opencode["user-agent"],
  "x-opencode-session": "s",
  "x-opencode-request": "msg_1",
};
const title = "You are a title generator. You output ONLY a thread title. Nothing else.";
const summary =
  "You are a context summarization agent. You are given a conversation between a user and an agent.";

const gemini = { "user-agent": "GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux; x64; terminal)" };
const part = (...texts: string[]) => ({ role: "user", parts: texts.map((text) => ({ text })) });
const functions = (...names: string[]) => [{ functionDeclarations: names.map((name) => ({ name })) }];
const context = part("<session_context>\nThis is the Gemini CLI.", "Go.");

const qwen = { "user-agent": "QwenCode/0.24.4 (linux; x64)" };
const system = (content: string) => ({ role: "system", content });
const toolsOfChat = (...names: string[]) => names.map((name) => ({ type: "function", function: { name } }));
const isQwen = system("You are Qwen Code, an interactive CLI agent");
const reminder = says("user", "<system-reminder>\nThe following skills", "Go.");
const suggestion = "[SUGGESTION MODE: Suggest what the user might naturally type next.]";

const pi = (said?: string) => ({
  "user-agent": "pi/1.5.0 (linux; node/v24.21.0; x64)",
  ...(said !== undefined && { "x-turn-limit-pi": said }),
});

const turn = { kind: "turn", conversation: "s", isSubAgent: false };
const unnamed = { kind: "turn", conversation: expect.any(String), isByOpening: true, isSubAgent: false };
const codexTurn = { kind: "turn", conversation: "t", isSubAgent: false, same: input };

/** Requests as the real programs made them, without what does not matter here. */
const REQUESTS: [what: string, headers: Record<string, string>, body: Json, recognised: unknown][] = [
  [
    "Claude Code: a prompt",
    claude,
    { tools, messages: [says("user", "go"), says("system", "# Environment")] },
    turn,
  ],
  ["Claude Code: the result of a tool", claude, { tools, messages: [says("user", "go"), result] }, turn],
  [
    "Claude Code: a sub-agent",
    { ...claude, "x-claude-code-agent-id": "a2f3286b0c9be6a92" },
    { tools, messages: [says("user", "do the sub task")] },
    { kind: "turn", conversation: "s a2f3286b0c9be6a92", isSubAgent: true },
  ],
  [
    "Claude Code: a compaction",
    claude,
    { tools, messages: [{ role: "user", content: [...result.content, { type: "text", text: summarise }] }] },
    { kind: "compaction" },
  ],
  [
    "Claude Code: a title",
    claude,
    { tools: [], messages: [says("user", "<session>")], output_config: { format: { type: "json_schema" } } },
    { kind: "aside" },
  ],
  [
    "Claude Code: a prompt without tools",
    claude,
    {
      tools: [],
      messages: [says("user", "go"), says("system", "# Environment")],
      output_config: { effort: "medium" },
    },
    turn,
  ],
  [
    "Claude Code: a title that goes on",
    claude,
    {
      tools: [],
      messages: [says("user", "<session>"), says("assistant", "…"), says("user", "again")],
      output_config: { format: { type: "json_schema" } },
    },
    turn,
  ],
  [
    "Claude Code: may this tool call be executed?",
    claude,
    { messages: [says("user", "<transcript>\n")], stop_sequences: ["</block>"] },
    { kind: "aside" },
  ],
  [
    "Claude Code: a search on the web",
    claude,
    {
      tools: [{ type: "web_search_20250305", name: "web_search" }],
      messages: [says("user", "Perform a web search")],
    },
    { kind: "aside" },
  ],
  ["Claude Code: without a session", { "user-agent": claude["user-agent"] }, { tools }, undefined],

  ["Codex: exec", codex({}), { input }, codexTurn],
  [
    "Codex: a prompt on the screen",
    codex({ turn_trigger: "user" }, "codex-tui/0.166.0 (Debian 12.0.0; x86_64) xterm (codex-tui; 0.166.0)"),
    { input },
    codexTurn,
  ],
  ["Codex: a goal goes on by itself", codex({ turn_trigger: "goal" }), { input }, codexTurn],
  [
    "Codex: a sub-agent",
    codex({ thread_id: "t2", turn_id: "p2", parent_thread_id: "t", thread_source: "subagent" }),
    { input },
    { kind: "turn", conversation: "t2", isSubAgent: true, same: input },
  ],
  ["Codex: a compaction", codex({ request_kind: "compaction" }), { input }, { kind: "compaction" }],
  [
    "Codex: a title, which has tools",
    codex({ thread_id: "t3", thread_source: "thread_title", turn_trigger: undefined }),
    { input },
    { kind: "aside" },
  ],
  [
    "Codex: a title that has called a tool",
    codex({ thread_id: "t3", thread_source: "thread_title", turn_trigger: undefined }),
    { input: [...input, { type: "custom_tool_call_output", call_id: "c", output: "one" }] },
    {
      kind: "turn",
      conversation: "t3",
      isSubAgent: true,
      same: [...input, { type: "custom_tool_call_output", call_id: "c", output: "one" }],
    },
  ],
  ["Codex: a warm-up", codex({ request_kind: "prewarm", turn_id: "" }), { input }, { kind: "aside" }],
  ["Codex: a kind of later days", codex({ request_kind: "dream" }), { input }, undefined],
  ["Codex: nothing about itself", { "user-agent": "codex_exec/0.166.0" }, { input }, undefined],

  ["opencode: a turn", opencode, { tools, messages: [says("user", "go")] }, turn],
  [
    "opencode: a sub-agent",
    { ...opencode, "x-session-id": "s2", "x-parent-session-id": "s" },
    { tools },
    { kind: "turn", conversation: "s2", isSubAgent: true },
  ],
  [
    "opencode: a title, by Messages",
    opencode,
    { system: [{ type: "text", text: title }] },
    { kind: "aside" },
  ],
  ["opencode: a title, by Responses", opencode, { instructions: title, input }, { kind: "aside" }],
  [
    "opencode: a title, by Chat",
    opencode,
    { messages: [{ role: "system", content: title }] },
    { kind: "aside" },
  ],
  ["opencode: a compaction", opencode, { system: [{ type: "text", text: summary }] }, { kind: "compaction" }],
  ["opencode: a turn without tools", opencode, { messages: [says("user", "go")] }, turn],
  ["opencode: a turn at its own provider", zen, { tools }, turn],
  [
    "opencode: a compaction there",
    zen,
    { messages: [{ role: "system", content: summary }] },
    { kind: "compaction" },
  ],

  [
    "Gemini CLI: a prompt",
    gemini,
    { contents: [context], tools: functions("run_shell_command", "invoke_agent"), stream: true },
    unnamed,
  ],
  [
    "Gemini CLI: in the terminal of VS Code",
    {
      "user-agent":
        "CloudCodeVSCode/0.61.0 (aidev_client; os_type=Linux; os_version=6; arch=x64; host_path=VSCode/1; proxy_client=geminicli)",
    },
    { contents: [context], tools: functions("run_shell_command"), stream: true },
    unnamed,
  ],
  ["Gemini CLI: a prompt without tools", gemini, { contents: [context], stream: true }, unnamed],
  [
    "Gemini CLI: a sub-agent",
    gemini,
    { contents: [part("Help me.")], tools: functions("run_shell_command", "complete_task"), stream: true },
    { ...unnamed, isSubAgent: true },
  ],
  ["Gemini CLI: a summary of the transcript", gemini, { contents: [context] }, { kind: "aside" }],
  [
    "Gemini CLI: a search on the web",
    gemini,
    { contents: [part("Search.")], tools: [{ googleSearch: {} }] },
    { kind: "aside" },
  ],
  [
    "Gemini CLI: functions in an answer that does not stream",
    gemini,
    { contents: [context], tools: functions("run_shell_command") },
    unnamed,
  ],

  [
    "Qwen Code: a prompt",
    qwen,
    { messages: [isQwen, reminder], tools: toolsOfChat("run_shell_command"), stream: true },
    unnamed,
  ],
  ["Qwen Code: a prompt without tools", qwen, { messages: [isQwen, reminder], stream: true }, unnamed],
  [
    "Qwen Code: a sub-agent",
    qwen,
    {
      messages: [
        system(
          "You review code.\n\nImportant Rules:\n - You operate in non-interactive mode: do not ask the user questions; proceed",
        ),
        reminder,
      ],
      tools: toolsOfChat("run_shell_command"),
      stream: true,
    },
    { ...unnamed, isSubAgent: true },
  ],
  [
    "Qwen Code: it extracts memories",
    qwen,
    {
      messages: [system("You are now acting as the managed memory extraction subagent for an AI"), reminder],
      tools: toolsOfChat("read_file", "edit"),
      stream: true,
    },
    { kind: "aside" },
  ],
  [
    "Qwen Code: a compaction",
    qwen,
    {
      messages: [system("You are the component that summarizes a conversation when its"), reminder],
      stream: true,
    },
    { kind: "compaction" },
  ],
  [
    "Qwen Code: who speaks next?",
    qwen,
    { messages: [isQwen, reminder], tools: toolsOfChat("respond_in_schema") },
    { kind: "aside" },
  ],
  ["Qwen Code: a title", qwen, { messages: [says("user", "Name it.")] }, { kind: "aside" }],
  [
    "Qwen Code: what may the person type next?",
    qwen,
    {
      messages: [isQwen, reminder, says("assistant", "Done."), says("user", suggestion)],
      tools: toolsOfChat("run_shell_command"),
      stream: true,
    },
    { kind: "aside" },
  ],
  [
    "Qwen Code: the result of a tool that has the same text",
    qwen,
    {
      messages: [isQwen, reminder, { role: "tool", tool_call_id: "c", content: suggestion }],
      tools: toolsOfChat("run_shell_command"),
      stream: true,
    },
    unnamed,
  ],

  ["Pi: a turn", pi("turn s"), { messages: [] }, turn],
  ["Pi: a sub-agent", pi("sub-agent s"), { messages: [] }, { ...turn, isSubAgent: true }],
  ["Pi: a compaction", pi("aside s"), { messages: [] }, { kind: "aside" }],
  ["Pi: a kind of later days", pi("dream s"), { messages: [] }, undefined],
  ["Pi: a turn of no session", pi("turn"), { messages: [] }, undefined],
  // Recognised by what it says for the gateway alone: without that it is another program.
  ["Pi: nothing for the gateway", pi(), { messages: [] }, undefined],
];

test("a conversation that no request names is known by how it begins", () => {
  const conversation = (...contents: Json[]) => {
    const request = { headers: gemini, body: { contents }, streams: true, protocol: {} as Protocol };
    const recognised = PROFILES.find(({ id }) => id === "gemini-cli")?.recognise(request);
    return recognised?.kind === "turn" && recognised.conversation;
  };
  expect(conversation(context, part("more"))).toBe(conversation(context));
  expect(conversation(part("Help me."))).not.toBe(conversation(context));
});

test.each(REQUESTS)("%s is recognised for what it is", (_, headers, body, recognised) => {
  const profile = PROFILES.find(({ version }) => version(headers) !== undefined);
  // No profile looks at the protocol. What Chat says in the body, Gemini says in the address.
  const streams = body.stream === true;
  expect(profile?.recognise({ headers, body, streams, protocol: {} as Protocol })).toEqual(recognised);
});
