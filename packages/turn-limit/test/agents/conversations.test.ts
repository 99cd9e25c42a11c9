import {
  type AgentName,
  answersWithoutTools,
  byKind,
  calls,
  fillsContextAt,
  kindOf,
  type ProviderRequest,
  prepareAgent,
  runAgent,
  says,
  shellCall,
  startScriptedProvider,
  subAgentCall,
  type ToolCall,
  textOfRole,
  turnOfConversation,
  worksForever,
} from "@turn-limit/rig";
import { describe, test } from "vitest";
import { parentAndHelper } from "./parent-and-helper.ts";
import { countsOf, type Seen, underLimits, underRun } from "./under-run.ts";

const withSubAgents: AgentName[] = ["claude-code", "codex", "opencode", "gemini-cli", "qwen-code"];

/** How each of them is told to print all that happens. */
const everything: Partial<Record<AgentName, readonly string[]>> = {
  "claude-code": ["--output-format", "stream-json", "--verbose"],
  codex: ["--json"],
  opencode: ["--format", "json"],
};

const finalText = "Turn limit reached (4/4). The run was stopped here.";
const wrapUp = "Wrap up now.";
const lastAnswer = "Your budget for this task is used up";
const summaryOfWork = "Everything so far, in short.";

function reported({ summary }: Seen): Record<string, unknown> {
  return JSON.parse(summary);
}

/** What the main loop answered, in all that each of them prints. Those that print only the last text print that. */
function answersIn({ stdout }: Seen): string[] {
  if (!stdout.startsWith("{")) return [stdout];
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return events.flatMap(({ type, result, part, item }) => {
    if (type === "result") return [result];
    if (type === "text") return [part.text];
    return type === "item.completed" && item.type === "agent_message" ? [item.text] : [];
  });
}

/** How often a request says it. */
function mentions({ bytes }: ProviderRequest, text: string): number {
  return bytes.toString("utf8").split(text).length - 1;
}

describe("a sub-agent", () => {
  test.for(withSubAgents)("of %s uses the turns of its parent, and both end", async (name, { expect }) => {
    // opencode takes long to start: its run shows, too, what becomes of a last answer that is none.
    const isAnswer = name === "opencode";
    const seen = await underRun(
      name,
      ["--at-limit", isAnswer ? "answer" : "stop", "--max-turns", "4", "--json"],
      parentAndHelper(),
      { args: everything[name] ?? [] },
    );

    const turns = seen.provider.requests.filter((request) => kindOf(request) !== "title");
    expect(turns.map((request) => request.toolsForbidden)).toEqual([
      ...Array(4).fill(false),
      ...(isAnswer ? [true] : []),
    ]);
    expect(seen.got["sub-agent"]).toBeGreaterThanOrEqual(2);
    expect(seen.code).toBe(86);
    // Only the parent gets a text. That of Qwen Code is woken by the end of its helper, and prints why it may not go on.
    if (name === "qwen-code") expect(seen.stdout + seen.stderr).toContain("Turn limit reached (4/4).");
    else expect(answersIn(seen)).toEqual([expect.stringContaining(finalText)]);
    // What the parent is told of a helper that was refused. Codex does not wait for that; others do not print it.
    if (name in everything && name !== "codex")
      expect(seen.stdout).toContain("Turn limit reached (4/4). No more requests are sent");
    // A title is no turn, but what it took counts.
    const requests = turns.length + (name === "opencode" ? 1 : 0);
    expect(reported(seen)).toMatchObject({
      outcome: "stopped",
      limit: "turns",
      turns: turns.length,
      requests,
      tokens: { input: 100 * requests, output: 20 * requests },
    });
  });

  test("of Pi, which is another process of it, uses the turns of its parent, and both end", async ({
    expect,
  }) => {
    const helper = "pi --provider scripted --model scripted-model -p 'Help me.' </dev/null";
    const works = worksForever();
    const seen = await underRun(
      "pi",
      ["--at-limit", "stop", "--max-turns", "4"],
      byKind({
        main: (request) =>
          turnOfConversation(request) === 1 ? calls(shellCall(request, helper)) : works(request),
        "sub-agent": works,
      }),
    );

    expect(seen.got).toEqual({ main: 1, "sub-agent": 3 });
    expect(seen.stdout).toContain(finalText);
    expect(seen.summary).toMatch(/^turn-limit: stopped at 4\/4 turns \(Pi\) · 4 requests/);
    expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
  });

  test("in the background does not outlive the final text", async ({ expect }) => {
    const seen = await underRun(
      "claude-code",
      ["--at-limit", "stop", "--max-turns", "4", "--json"],
      byKind({
        main: (request) =>
          calls(turnOfConversation(request) === 1 ? inBackground(request) : shellCall(request, "echo more")),
        "sub-agent": (request) => calls(shellCall(request, "sleep 1")),
      }),
      { args: everything["claude-code"] ?? [] },
    );

    expect(seen.provider.requests).toHaveLength(4);
    expect(seen.code).toBe(86);
    // Once, also when the end of its helper makes the parent go on.
    expect(answersIn(seen).filter((answer) => answer.includes(finalText))).toHaveLength(1);
    expect(seen.stdout).toContain("API Error: 402 Turn limit reached (4/4). No more requests are sent");
    expect(reported(seen)).toMatchObject({ outcome: "stopped", turns: 4, requests: 4 });
  });
});

// Gemini CLI has its compaction checked by another request, and Qwen Code finds a text too long that says it fills the context.
describe.for<AgentName>(["claude-code", "codex", "opencode"])("%s", (name) => {
  test("ignores the wrap-up, compacts at the limit, and gives a last answer", async ({ expect }) => {
    const seen = await underRun(
      name,
      ["--at-limit", "answer", "--max-turns", "4", "--wrap-up", "2", "--json"],
      byKind({ main: answersWithoutTools("My last answer.", fillsContextAt(4, worksForever())) }),
    );

    expect(seen.code).toBe(86);
    expect(seen.stdout.trimEnd().split("\n").at(-1)).toBe("My last answer.");
    expect(reported(seen)).toMatchObject({ outcome: "salvaged", limit: "turns", used: 4, max: 4 });
    expect(seen.isConfigUnchanged).toBe(true);
    const requests = seen.provider.requests.filter((request) => kindOf(request) !== "title");
    expect(requests.map(kindOf)).toEqual(["main", "main", "main", "main", "compaction", "main"]);
    // Each turn is told once, and the transcript, which the compaction has in full, keeps nothing of it.
    expect(requests.map((request) => mentions(request, wrapUp))).toEqual([0, 0, 1, 1, 0, 0]);
    expect(requests.map((request) => mentions(request, lastAnswer))).toEqual([0, 0, 0, 0, 0, 1]);
    // The summary is the model's.
    expect(requests.map((request) => mentions(request, summaryOfWork))).toEqual([0, 0, 0, 0, 0, 1]);
    expect(requests.map((request) => request.toolsForbidden)).toEqual([...Array(5).fill(false), true]);
    expect(requests[5]?.toolNames).toEqual(requests[0]?.toolNames);
  });
});

// opencode takes long to start.
test.for([
  ["claude-code", ["--continue"]],
  ["codex", ["resume", "--last"]],
] as const)(
  "%s makes no summary when its tokens are used up at a compaction, and loses nothing",
  async ([name, resume], { expect }) => {
    let isResumed = false;
    const works = fillsContextAt(2, worksForever());
    await using provider = await startScriptedProvider(
      byKind({ main: (request) => (isResumed ? says("Back at work.") : works(request)) }),
    );
    await using agent = await prepareAgent(name, { providerAddress: provider.address });
    const wrapWith = underLimits(["--at-limit", "stop", "--max-tokens", "1m"]);

    const { code, stdout, stderr } = await runAgent(agent, { prompt: "Go.", wrapWith });

    expect(countsOf(provider)).toEqual({ main: 2 });
    expect(code).toBe(86);
    expect(stdout + stderr).toContain("Token limit reached (5m/1m). No more requests are sent");
    expect(stdout + stderr).not.toContain("The run was stopped here.");
    expect(stderr).toContain("turn-limit: stopped at 5m/1m tokens ");

    isResumed = true;
    const resumed = await runAgent(agent, { prompt: "Go on.", args: resume });

    // The compaction that was refused is made now, of all the work.
    expect(resumed.stdout).toBe("Back at work.\n");
    const since = provider.requests.slice(2);
    expect(since.map(kindOf)).toEqual(["compaction", "main"]);
    expect(since.map((request) => textOfRole(request, "tool"))[0]).toMatch(/turn 1.*turn 2/s);
  },
);

describe("a last answer", () => {
  test.for<AgentName>(["claude-code", "codex"])(
    "of %s that calls a tool is followed by one final text",
    async (name, { expect }) => {
      const seen = await underRun(
        name,
        ["--at-limit", "answer", "--max-turns", "2"],
        byKind({ main: worksForever() }),
      );

      expect(seen.provider.requests.map((request) => request.toolsForbidden)).toEqual([false, false, true]);
      expect(seen.code).toBe(86);
      expect(seen.stdout.match(/Turn limit reached/g)).toHaveLength(1);
      expect(seen.stdout).toContain("Turn limit reached (2/2). The run was stopped here.");
      expect(seen.summary).toMatch(/^turn-limit: stopped at 2\/2 turns /);
    },
  );
});

/** A call that starts a sub-agent which its parent does not wait for. */
function inBackground(request: ProviderRequest): ToolCall {
  const call = subAgentCall(request, "Help me.");
  return { ...call, arguments: { ...call.arguments, run_in_background: true } };
}

test("nothing that Codex sends from its shell starts the turns over", async ({ expect }) => {
  // What its own requests say of a prompt, with another id each time.
  const about = { thread_id: "t", request_kind: "turn", thread_source: "user", turn_trigger: "exec" };
  const forge = (turn_id: string) =>
    `curl -s -H 'user-agent: codex_exec/0.166.0' -H 'content-type: application/json' ` +
    `-H 'x-codex-turn-metadata: ${JSON.stringify({ ...about, turn_id })}' ` +
    `-d '{"model":"m","input":"${turn_id}"}' "$OPENAI_BASE_URL/responses"`;
  const isForged = ({ body }: ProviderRequest) => !("client_metadata" in body);
  await using provider = await startScriptedProvider((request) =>
    isForged(request)
      ? says("Forged.")
      : calls(shellCall(request, forge(`forged-${turnOfConversation(request)}`))),
  );
  await using agent = await prepareAgent("codex", { providerAddress: provider.address });
  const wrapWith = underLimits(["--at-limit", "stop", "--max-turns", "4"]);
  const env = { OPENAI_BASE_URL: `${provider.address}/v1` };
  const { code, stderr } = await runAgent(agent, { prompt: "Go.", wrapWith, env });

  expect(provider.requests.map(isForged)).toEqual([false, true, false, true]);
  expect(code).toBe(86);
  expect(stderr).toMatch(/^turn-limit: stopped at 4\/4 turns \(Codex\)/m);
});

test.for([
  ["claude-code", ["--tools="], {}],
  ["opencode", [], { OPENCODE_CONFIG_CONTENT: JSON.stringify({ tools: { "*": false } }) }],
] as const)("%s without tools takes turns", async ([name, args, env], { expect }) => {
  const options = ["--at-limit", "stop", "--max-turns", "0"];
  const seen = await underRun(name, options, () => says("Hello."), { args, env });

  expect(seen.got.main).toBeUndefined();
  expect(seen.got.aside).toBeUndefined();
  expect(seen.stdout).toContain("Turn limit reached (0/0). The run was stopped here.");
  expect(seen.code).toBe(86);
});
