import { type Options, query, type SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  type AdapterOptions,
  type LimitedMessage,
  limitQuery,
  type QueryInput,
} from "../packages/turn-limit/src/adapters/claude-agent-sdk.ts";
import {
  type ApiRequest,
  contentOf,
  scriptedApi,
  seen as seenAs,
  WORK,
} from "../packages/turn-limit/test/hosts/claude-agent-sdk/scriptedApi.ts";
import {
  offline,
  orphansIn,
  whyUnavailable,
  withHome,
} from "../packages/turn-limit/test/hosts/claude-agent-sdk.ts";
import type { Contender, Seen, Trial } from "./Contender.ts";

const framework = "Claude Agent SDK";

/** Starts a query with the limiter on. */
type Limiter = (input: QueryInput) => AsyncIterable<LimitedMessage>;

/** The SDK's own sub-agents: in that trial the main loop's call is one of its `Agent` tool. */
const subAgents: Options = {
  tools: ["Agent"],
  allowedTools: ["Agent", WORK],
  agents: { worker: { description: "Works.", prompt: "Work.", tools: [WORK] } },
};

function play(trial: Trial, limiter: Limiter): Promise<Seen> {
  return withHome(async (home) => {
    const seen: Seen = { requests: 0, executed: 0, orphans: 0, answer: undefined, reason: undefined };
    const messages: SDKMessage[] = [];

    function answer(request: ApiRequest, index: number) {
      seen.requests = index;
      const isMain = request.tools?.some(({ name }) => name === "Agent");
      if (!trial.subAgents) return contentOf(trial.model(seenAs(request, index)), index);
      if (isMain) {
        const input = { description: "work", prompt: "work", subagent_type: "worker" };
        return [{ type: "tool_use" as const, id: `toolu_${index}`, name: "Agent", input }];
      }
      const isFirst = request.messages.length === 1;
      if (isFirst) seen.executed += 1; // the call of `Agent` that made it
      return contentOf(isFirst ? { calls: 1 } : { text: "did it" }, index);
    }

    await using api = await scriptedApi(answer);
    const options = offline(api.url, home, () => {
      seen.executed += 1;
    });
    for (let prompt = 0; prompt < (trial.prompts ?? 1); prompt += 1) {
      const resume = messages.at(-1)?.session_id;
      const more: Options = { ...(trial.subAgents && subAgents), ...(resume && { resume }) };
      const reasons: string[] = [];
      try {
        for await (const message of limiter({ prompt: "go", options: { ...options, ...more } })) {
          messages.push(message);
          if (message.type !== "result") continue;
          seen.answer = (message.subtype === "success" && message.result) || undefined;
          reasons.push(reasonOf(message));
        }
      } catch (error) {
        reasons.push(String(error));
      }
      seen.reason = reasons.join("; ") || undefined;
    }
    return { ...seen, orphans: orphansIn(messages) };
  });
}

function reasonOf(result: Extract<LimitedMessage, { type: "result" }>): string {
  if (!("outcome" in result)) return `result ${result.subtype}, terminal_reason ${result.terminal_reason}`;
  const { kind, limit } = result.outcome ?? {};
  return limit ? `outcome ${kind} by ${limit}` : `outcome ${kind}`;
}

const why = whyUnavailable();

/** Plays the trial, or says why the program cannot run here. */
async function playHere(trial: Trial, limiter: Limiter): Promise<Seen | string> {
  const reason = await why;
  return reason === undefined ? play(trial, limiter) : `the SDK's program cannot run here: ${reason}`;
}

/** `maxTurns` is the only limit of its own on how often the SDK's loop goes round. */
export const contenders: Contender[] = [
  {
    framework,
    limiter: "maxTurns: n",
    ours: false,
    async play(trial) {
      const { turns: maxTurns } = trial;
      if (maxTurns === undefined) return "has no limit on tool calls";
      return playHere(trial, ({ prompt, options }) => query({ prompt, options: { ...options, maxTurns } }));
    },
  },
  {
    framework,
    limiter: "turn-limit",
    ours: true,
    play(trial) {
      const { turns = "unlimited", steps = "unlimited", wantsAnswer } = trial;
      const headless = wantsAnswer ? "synthesize" : "stop";
      const limits: AdapterOptions = { turns: { max: turns, headless }, steps };
      return playHere(trial, limitQuery(query, limits));
    },
  },
];
