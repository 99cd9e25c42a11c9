import { expect, test } from "vitest";
import type { Profile } from "../../src/gateway/agents/profile.ts";
import type { GatewayOptions } from "../../src/gateway/gateway.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { chatCompletions } from "../../src/gateway/protocols/chat-completions.ts";
import { gemini } from "../../src/gateway/protocols/gemini.ts";
import { messages } from "../../src/gateway/protocols/messages.ts";
import type { Json, Protocol } from "../../src/gateway/protocols/protocol.ts";
import { responses } from "../../src/gateway/protocols/responses.ts";
import { PROFILES } from "../../src/launch/launch.ts";
import { agent, PROFILE } from "./an-agent.ts";
import { recordingProvider } from "./recording-provider.ts";

type Called = [tool: string, input: unknown, result: unknown];

/** The transcript of an agent after these turns, in each of which it made calls. */
function transcript(turns: readonly Called[][]): Json[] {
  return turns.flatMap((calls, turn): Json[] => [
    {
      role: "assistant",
      content: calls.map(([name, input], call) => ({
        type: "tool_use",
        id: `t${turn}.${call}`,
        name,
        input,
      })),
    },
    {
      role: "user",
      content: calls.map(([, , content], call) => ({
        type: "tool_result",
        tool_use_id: `t${turn}.${call}`,
        content,
      })),
    },
  ]);
}

/** Sends the turns of an agent that makes these calls, one after the other: the statuses, and what was added for the model. */
async function works(options: GatewayOptions, turns: readonly Called[][], repeated = 1) {
  const provider = await recordingProvider();
  const { base, close } = await agent({ profile: PROFILE, ...options }, provider);
  const statuses: number[] = [];
  const answers: string[] = [];
  for (let index = 0; index <= turns.length; index += 1)
    for (let time = 0; time < repeated; time += 1) {
      const response = await fetch(`${base}/v1/messages`, {
        method: "POST",
        headers: { "user-agent": "test-agent/1.0", "x-kind": "turn", "content-type": "application/json" },
        body: JSON.stringify({
          model: "claude-sonnet-4-5",
          messages: [{ role: "user", content: "Go." }, ...transcript(turns.slice(0, index))],
          tools: [{ name: "x" }],
        }),
      });
      statuses.push(response.status);
      answers.push(JSON.stringify(await response.json()));
    }
  const told = provider.received.map(({ body }) => {
    const { messages: all } = body as unknown as { messages: { content: unknown }[] };
    const last = all.at(-1)?.content;
    return Array.isArray(last) ? last.filter(({ type }) => type === "text").map(({ text }) => text) : [];
  });
  return { statuses, answers, told, sent: provider.received.length, summary: await close() };
}

const poll: Called[] = [["Bash", { command: "make" }, "nothing to do"]];
const many = (count: number, turn: Called[] = poll) => Array<Called[]>(count).fill(turn);

test("a loop is told with the third same result, and with the fourth the run ends", async () => {
  const { told, sent, summary, answers } = await works({ repeats: 3 }, many(5));
  expect(sent).toBe(4);
  expect(told).toEqual([
    [],
    [],
    [],
    [
      "The last call was made 3 times in a row with the same result. It will not change. Try something else, or answer.",
    ],
  ]);
  expect(answers[4]).toContain("Repeat limit reached (4/3). The run was stopped here.");
  expect(summary).toMatchObject({ outcome: { kind: "stopped", limit: "repeats", turns: 4 } });
});

test("a model that does something else goes on", async () => {
  const other: Called[] = [["Bash", { command: "ls" }, "a.ts"]];
  const { sent, summary } = await works({ repeats: 3 }, [...many(3), other, ...many(2)]);
  expect(sent).toBe(7);
  expect(summary).toMatchObject({ outcome: { kind: "completed" } });
});

test("a request that is made again is no call more, and tells the same", async () => {
  const { told, sent } = await works({ repeats: 3 }, many(3), 3);
  expect(sent).toBe(12);
  expect(told.slice(0, 9).flat()).toEqual([]);
  expect(told.slice(9).flat()).toHaveLength(3);
});

test("a tool that fails alike is a loop whatever its arguments are", async () => {
  const edits = Array.from({ length: 6 }, (_, index): Called[] => [
    ["Edit", { old_string: `text ${index}` }, "Error: String to replace not found in file."],
  ]);
  const { told, sent, summary } = await works({ repeats: 3 }, edits);
  expect(told[3]).toEqual([
    "Edit failed 3 times in a row with the same error, whatever its arguments were. Find out why, try something else, or answer.",
  ]);
  expect(sent).toBe(4);
  expect(summary.outcome).toMatchObject({ kind: "stopped", limit: "repeats" });
});

test("a result is the same whatever the agent adds to it of its own", async () => {
  const profile: Profile = { ...PROFILE, resultText: (text) => text.replace(/^pid \d+ /, "") };
  const builds = (results: unknown[]) =>
    results.map((result): Called[] => [["Bash", { command: "make" }, result]]);
  const poll = { repeats: 3, profile };
  const { told, sent } = await works(
    poll,
    builds(["pid 1 ok", [{ type: "text", text: "pid 2 ok" }], "pid 3 ok"]),
  );
  expect({ told: told.flat(), sent }).toEqual({ told: [], sent: 4 });
  const same = await works(poll, builds(["pid 1 ok", "pid 2 ok", "pid 3 ok", "pid 4 ok"]));
  expect({ told: same.told[3]?.length, sent: same.sent }).toEqual({ told: 1, sent: 4 });
});

test.each([
  [
    "gemini-cli",
    "<untrusted_context>\nOutput: compiling\nProcess Group PGID: 19000\n</untrusted_context>",
    "<untrusted_context>\nOutput: compiling\nProcess Group PGID: 19002\n</untrusted_context>",
  ],
  [
    "qwen-code",
    "Command: sleep 1\necho compiling\nDirectory: (root)\nOutput: compiling\nProcess Group PGID: 19578",
    "Command: sleep 2\necho compiling\nDirectory: (root)\nOutput: compiling\nProcess Group PGID: 19580",
  ],
])("%s has the same result of a command that printed the same", (name, one, other) => {
  const text = PROFILES.find(({ id }) => id === name)?.resultText;
  expect(text?.(one)).toContain("Output: compiling");
  expect(text?.(one)).toBe(text?.(other));
});

test("a person is asked, and a yes starts the row over", async () => {
  const asked: unknown[] = [];
  const ask = (question: unknown) => {
    asked.push(question);
    return true;
  };
  const { sent } = await works({ repeats: 2, ask }, many(4));
  expect(sent).toBe(5);
  expect(asked).toMatchObject([{ limit: "repeats", used: 3, max: 2 }]);
});

test("without a limit of repeats nothing is added, and without a profile there is none", async () => {
  const { told, sent } = await works({ turns: 9 }, many(6));
  expect({ told: told.flat(), sent }).toEqual({ told: [], sent: 7 });
  await expect(createGateway({ repeats: 3 })).rejects.toThrow("repeats");
});

test.each<[Protocol, Json]>([
  [messages, { messages: [{ role: "user", content: "Go." }, ...transcript([[["ls", { a: 1 }, "b"]]])] }],
  [
    responses,
    {
      input: [
        { type: "message", role: "user", content: [] },
        { type: "function_call", call_id: "t0.0", name: "ls", arguments: '{"a":1}' },
        { type: "function_call_output", call_id: "t0.0", output: "b" },
        { type: "function_call", call_id: "later", name: "ls", arguments: "{}" },
      ],
    },
  ],
  [
    chatCompletions,
    {
      messages: [
        { role: "user", content: "Go." },
        {
          role: "assistant",
          tool_calls: [{ id: "t0.0", type: "function", function: { name: "ls", arguments: '{"a":1}' } }],
        },
        { role: "tool", tool_call_id: "t0.0", content: "b" },
      ],
    },
  ],
  [
    gemini,
    {
      contents: [
        { role: "user", parts: [{ text: "Go." }] },
        { role: "model", parts: [{ functionCall: { id: "t0.0", name: "ls", args: { a: 1 } } }] },
        { role: "user", parts: [{ functionResponse: { id: "t0.0", name: "ls", response: "b" } }] },
      ],
    },
  ],
])("the calls of a conversation with results are read from the request: $name", (protocol, body) => {
  expect(protocol.calls(body)).toEqual([{ id: "t0.0", tool: "ls", args: { a: 1 }, result: "b" }]);
  for (const odd of [{}, { messages: 1, input: {}, contents: [1] }, { messages: [null], input: "x" }])
    expect(protocol.calls(odd as Json)).toEqual([]);
});

test("calls of Gemini without ids have their results in their order", () => {
  const call = { role: "model", parts: [{ functionCall: { name: "ls", args: {} } }] };
  const result = (response: string) => ({
    role: "user",
    parts: [{ functionResponse: { name: "ls", response } }],
  });
  expect(gemini.calls({ contents: [call, result("a"), call, result("b"), call] })).toEqual([
    { id: "ls 1", tool: "ls", args: {}, result: "a" },
    { id: "ls 2", tool: "ls", args: {}, result: "b" },
  ]);
});
