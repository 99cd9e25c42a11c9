import { HumanMessage, type WrapModelCallHook } from "langchain";
import { untilAborted } from "../shared/untilAborted.ts";
import type { Admitted, AgentRun } from "./AgentRun.ts";
import { isAbort, isInterrupt } from "./errors.ts";
import type { stateSchema } from "./stateSchema.ts";
import { usageOf } from "./usageOf.ts";

type Hook = WrapModelCallHook<typeof stateSchema>;
type Request = Parameters<Hook>[0];
type Handler = Parameters<Hook>[1];

/** The answer to an agent's request; `undefined` if it must not be made, or was cut off. */
export async function answerOf(
  run: AgentRun,
  request: Request,
  handler: Handler,
): Promise<Awaited<ReturnType<Handler>> | undefined> {
  const { runtime } = request;
  const kept = run.take(runtime);
  // A jump to the model by other middleware, or a retry for structured output, comes past `beforeModel`.
  const admitted = kept ?? (await run.admit(runtime));
  const cutOff = admitted && run.send(runtime);
  if (!cutOff || cutOff.aborted) return undefined;
  const sent = {
    ...(admitted.kind === "synthesize" ? withoutTools(request) : request),
    messages: kept ? request.messages : [...request.messages, ...told(admitted)],
    // The settings are bound to the model, which adds the signal to that of the invocation.
    ...(run.governor.timeLeft !== undefined && {
      modelSettings: { ...request.modelSettings, signal: cutOff },
    }),
  };
  try {
    const answer = await untilAborted(cutOff, Promise.resolve(handler(sent)));
    if (typeof answer === "string") return undefined;
    run.turnEnded(usageOf(answer));
    return answer;
  } catch (error) {
    if (cutOff.aborted) return undefined;
    if (isInterrupt(error)) run.again(runtime, admitted);
    else run.fail(runtime, admitted, isAbort(error) ? "aborted" : "failed");
    throw error;
  }
}

/** What the model has to be told. */
export function told(admitted: Admitted): HumanMessage[] {
  return admitted.kind === "proceed" ? [] : [new HumanMessage(admitted.message)];
}

function withoutTools({ toolChoice: _, ...request }: Request) {
  return { ...request, tools: [] };
}
