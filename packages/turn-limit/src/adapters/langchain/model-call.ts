import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import { AIMessage, HumanMessage, type WrapModelCallHook } from "langchain";
import { untilAborted } from "../../driver/until-aborted.ts";
import { type Report, reportedUsage } from "../shared/reported-usage.ts";
import type { Admitted, AgentRun, stateSchema } from "./agent-run.ts";

type Hook = WrapModelCallHook<typeof stateSchema>;
type Request = Parameters<Hook>[0];
type Handler = Parameters<Hook>[1];
type Answer = Awaited<ReturnType<Handler>>;

/** Makes an agent's request. Its answer is `undefined` if it must not be made, or was cut off. */
export async function callModel(
  run: AgentRun,
  request: Request,
  handler: Handler,
): Promise<Answer | undefined> {
  const { runtime } = request;
  const kept = run.take(runtime);
  // Other middleware that jumps to the model, and retries for structured output, skip `beforeModel`.
  const admitted = kept ?? (await run.admit(runtime));
  const cutOff = admitted && run.send(runtime);
  if (!cutOff || cutOff.aborted) return undefined;
  const limited = {
    ...(admitted.kind === "synthesize" ? withoutTools(request) : request),
    messages: kept ? request.messages : [...request.messages, ...messagesOf(admitted)],
    // The settings are bound to the model, which adds the signal to that of the invocation.
    ...(run.driver.governor.view.timeLeft !== undefined && {
      modelSettings: { ...request.modelSettings, signal: cutOff },
    }),
  };
  try {
    const answer = await untilAborted(cutOff, handler(limited), () => undefined);
    if (answer === undefined) return undefined;
    run.driver.turnEnded(reportedUsage(reportOf(answer)));
    return answer;
  } catch (error) {
    if (cutOff.aborted) return undefined;
    run.unanswered(runtime, admitted, error);
    throw error;
  }
}

/** What the model has to be told in a turn. */
export function messagesOf(admitted: Admitted): HumanMessage[] {
  return admitted.kind === "proceed" ? [] : [new HumanMessage(admitted.message)];
}

function withoutTools({ toolChoice: _, ...request }: Request) {
  return { ...request, tools: [] };
}

/** What the provider reports. An answer that became a structured response is inside of it. */
function reportOf(answer: AIMessage | { messages: BaseMessage[] }): Report {
  const message = AIMessage.isInstance(answer) ? answer : answer.messages.find(AIMessage.isInstance);
  const usage = message?.usage_metadata as UsageMetadata | undefined;
  return {
    totalInput: usage?.input_tokens,
    output: usage?.output_tokens,
    cacheRead: usage?.input_token_details?.cache_read,
    cacheWrite: usage?.input_token_details?.cache_creation,
  };
}
