import type { BaseMessage } from "@langchain/core/messages";
import { AIMessage, HumanMessage, type WrapModelCallHook } from "langchain";
import { untilAborted } from "../../run/until-aborted.ts";
import { reportedUsage } from "../shared/reported-usage.ts";
import type { Admitted } from "./agent-loop.ts";
import type { AgentRun } from "./agent-run.ts";
import type { stateSchema } from "./agent-state.ts";
import { modelOf, reportOf } from "./reports.ts";

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
  const { driver } = run;
  run.countCallsElsewhere(request.state.messages, runtime);
  const admitted = await run.admit(runtime);
  const cutOff = admitted && run.cutOffOf(runtime);
  if (!cutOff || cutOff.aborted) return undefined;
  try {
    const answer = await untilAborted(
      cutOff,
      handler(limited(request, admitted, driver.mayCutOff ? cutOff : undefined)),
      () => undefined,
    );
    if (answer === undefined) return undefined;
    run.loopOf(runtime).answered();
    const message = messageOf(answer);
    driver.turnEnded(reportedUsage(reportOf(message)), modelOf(message, request.model as object));
    return answer;
  } catch (error) {
    if (cutOff.aborted) return undefined;
    run.unanswered(runtime, error);
    throw error;
  }
}

/** The caller's request, with what the model has to be told in this one and in no other. */
function limited(request: Request, admitted: Admitted, cutOff: AbortSignal | undefined): Request {
  if (admitted.kind === "proceed" && !cutOff) return request;
  const { toolChoice, tools, messages, modelSettings, ...rest } = request;
  const isToolsFree = admitted.kind === "synthesize";
  return {
    ...rest,
    tools: isToolsFree ? [] : tools,
    ...(!isToolsFree && toolChoice !== undefined && { toolChoice }),
    messages: admitted.kind === "proceed" ? messages : [...messages, new HumanMessage(admitted.message)],
    // The settings are bound to the model, which adds the signal to that of the invocation.
    ...((modelSettings || cutOff) && {
      modelSettings: { ...modelSettings, ...(cutOff && { signal: cutOff }) },
    }),
  };
}

/** An answer, as a hook has to hand it on. LangChain applies a command once for each hook that does so. */
export function handedOn(answer: Answer): Answer {
  if (!isCommand(answer)) return answer;
  const Command = answer.constructor as new (content: object) => Answer;
  return new Command({});
}

function isCommand(answer: object): boolean {
  return "lg_name" in answer && answer.lg_name === "Command";
}

/** The model's answer, if there is one. That of a structured response is inside of it; other middleware may command. */
export function messageOf(answer: unknown): AIMessage | undefined {
  if (AIMessage.isInstance(answer)) return answer;
  const { messages } = (answer ?? {}) as { messages?: BaseMessage[] };
  return Array.isArray(messages) ? messages.find(AIMessage.isInstance) : undefined;
}
