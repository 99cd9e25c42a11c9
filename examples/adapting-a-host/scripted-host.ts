import { callId, everything, nothingSeen, type Scenario, type ScriptedHost } from "turn-limit/testing";
import { limitTinyAgent } from "./limit-tiny-agent.ts";
import { type Answer, type Request, TinyAgent } from "./tiny-agent.ts";

async function play(scenario: Scenario) {
  const { limits, model, usage: reported, signal, prompts = 1, onExecute, onControl, ungoverned } = scenario;
  const seen = nothingSeen();

  async function answer({ messages, tools, signal }: Request): Promise<Answer> {
    const index = seen.requests.length + 1;
    const request = { index, tools, texts: messages.map(({ text }) => text) };
    seen.requests.push(request);
    const reply = model(request);
    // The host cannot tell no report from one of 0 tokens.
    const usage = reported ? { input: 0, output: 0 } : { input: 100, output: 20 };
    if ("text" in reply) return { text: reply.text, calls: [], usage };
    if ("fails" in reply) throw new Error("overloaded");
    if ("stalls" in reply) return aborted(signal);
    const calls = Array.from({ length: reply.calls }, (_, n) => {
      const id = callId(index, n + 1);
      return { id, tool: "work", args: { id: reply.same ?? id, ...reply.more } };
    });
    return { text: "", calls, usage };
  }

  async function work({ id }: Record<string, unknown>): Promise<string> {
    seen.executed.push(String(id));
    const result = await onExecute?.(String(id));
    return typeof result === "string" ? result : "done";
  }

  const agent = new TinyAgent(answer, { work });
  const limited = ungoverned ? undefined : limitTinyAgent(agent, limits);
  if (limited) onControl?.(limited.control);
  for (let prompt = 0; prompt < prompts; prompt += 1) {
    try {
      seen.answer = await agent.prompt("go", signal);
    } catch (error) {
      seen.error = error;
    }
    seen.outcomes.push(limited?.outcome);
  }
  const answered = new Set(agent.messages.map((message) => message.role === "tool" && message.callId));
  const calls = agent.messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
  seen.orphans = calls.filter(({ id }) => !answered.has(id)).length;
  return seen;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

export const host: ScriptedHost = {
  name: "limit-tiny-agent",
  can: {
    ...everything,
    streaming: "the host does not stream",
    classTools: "the host's tools are functions",
    approvals: "the host runs every call",
    structured: "the host's answers are texts",
    finalTool: "the scripted agent has one tool",
    forcedTool: "the scripted agent has one tool",
    endRule: "the host has no such rule",
    runsAtOnce: "an agent works for one prompt at a time",
  },
  play,
  make: (limits) => limitTinyAgent(new TinyAgent(() => Promise.reject(), {}), limits),
};
