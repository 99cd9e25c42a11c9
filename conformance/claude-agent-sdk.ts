import { type Options, query, type SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  type LimitedMessage,
  limitQuery,
  type QueryInput,
} from "../packages/turn-limit/src/adapters/claude-agent-sdk/index.ts";
import {
  type ApiRequest,
  contentOf,
  scriptedApi,
  seenRequest,
} from "../packages/turn-limit/test/hosts/claude-agent-sdk/scripted-api.ts";
import {
  isOfMainLoop,
  offline,
  orphansIn,
  subAgentCall,
  whyUnavailable,
  withHome,
  withSubAgents,
} from "../packages/turn-limit/test/hosts/claude-agent-sdk.ts";
import type { Contender, Seen, Trial } from "./contender.ts";
import { ourLimits } from "./our-limits.ts";

const framework = "Claude Agent SDK";

/** Starts a query with the limiter on. */
type Limiter = (input: QueryInput) => AsyncIterable<LimitedMessage>;

function play(trial: Trial, limiter: Limiter): Promise<Seen> {
  return withHome(async (home) => {
    const seen: Seen = { requests: 0, executed: 0, orphans: 0, answer: undefined, reason: undefined };
    const messages: SDKMessage[] = [];

    function answer(request: ApiRequest, index: number) {
      seen.requests = index;
      if (!trial.subAgents) return contentOf(trial.model(seenRequest(request, index, home)), index);
      // Here the main loop's call is one of the SDK's own tool for sub-agents.
      if (isOfMainLoop(request)) return [subAgentCall(`${index}`)];
      const isFirst = request.messages.length === 1;
      if (isFirst) seen.executed += 1; // the call of `Agent` that made it
      return contentOf(isFirst ? { calls: 1 } : { text: "did it" }, index);
    }

    await using api = await scriptedApi(answer);
    const options = offline(api.url, home, async () => {
      seen.executed += 1;
      await trial.work?.();
    });
    for (let prompt = 0; prompt < (trial.prompts ?? 1); prompt += 1) {
      const resume = messages.at(-1)?.session_id;
      const more: Options = { ...(trial.subAgents && withSubAgents), ...(resume && { resume }) };
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

const goOn =
  "not played: a hook can defer a call and `resume` go on with it, which this trial does not do yet";

/** `maxTurns` is the SDK's only own limit on its loop. */
export const contenders: Contender[] = [
  {
    framework,
    limiter: "maxTurns: n",
    ours: false,
    goOn,
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
    goOn,
    play(trial) {
      return playHere(trial, limitQuery(query, ourLimits(trial)));
    },
  },
];
