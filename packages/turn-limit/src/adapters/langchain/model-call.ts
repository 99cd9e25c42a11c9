import { type BaseMessage, RemoveMessage } from "@langchain/core/messages";
import { AIMessage, HumanMessage, type WrapModelCallHook } from "langchain";
import type { Turn } from "../../run/turn.ts";
import { answerUntil } from "../shared/bounded-answer.ts";
import type { FinalTool, HostedAgent } from "../shared/hosted-agent.ts";
import { mayLimitRequests } from "../shared/runs.ts";
import type { AgentLoop } from "./agent-loop.ts";
import type { stateSchema } from "./agent-state.ts";
import { admittingAttempts, requireWatched } from "./attempts.ts";

type Hook = WrapModelCallHook<typeof stateSchema>;
type Request = Parameters<Hook>[0];
type Handler = Parameters<Hook>[1];
type Answer = Awaited<ReturnType<Handler>>;

/** Makes an agent's request. Its answer is `undefined` if it must not be made, or was cut off. */
export async function callModel(
  loop: AgentLoop,
  request: Request,
  handler: Handler,
): Promise<Answer | undefined> {
  const { runtime } = request;
  const { hosted } = loop;
  loop.recordCallsElsewhere(request.state.messages);
  const turn = await loop.nextTurn(runtime, finalToolOf(request));
  if (!turn) return undefined;
  loop.hasForm = request.responseFormat !== undefined;
  const ask = async (asked: Turn) => handler(limited(request, asked, hosted));
  const send = mayLimitRequests(hosted.run)
    ? () => answerOfAttempts(loop, request, turn, ask)
    : () => ask(turn);
  try {
    const { cutOff, mayBeCutOff } = hosted;
    const answer = await answerUntil<Answer | undefined>(cutOff, mayBeCutOff, send, () => undefined);
    if (answer !== undefined) loop.answered(messageOf(answer), request.model as object);
    if (request.responseFormat && isToBeCorrected(answer)) loop.corrected();
    return answer;
  } catch (error) {
    loop.unanswered(runtime, error);
    throw error;
  }
}

/** Ends what asks a model that must not be asked. Its name keeps the host from trying again. */
class NotAdmitted extends Error {
  override name = "AbortError";
  override message = "Not sent: a limit of this run is reached.";
}

/**
 * The answer to a request in which a model may be asked several times. Where it is to be told something else, or is offered
 * nothing any more, the request begins anew; `undefined`: it must not be asked again.
 */
async function answerOfAttempts(
  loop: AgentLoop,
  request: Request,
  turn: Turn,
  ask: (turn: Turn) => Promise<Answer>,
): Promise<Answer | undefined> {
  await requireWatched(request.model);
  const { hosted } = loop;
  const { message: said } = hosted;
  let isOver = false;
  // Settled once: middleware may try for long to get an answer, and does not get one any more.
  return new Promise((resolve, reject) => {
    const admit = async () => {
      const next = isOver ? undefined : await loop.attempt(request.runtime);
      if (next?.tools === turn.tools && hosted.message === said) return;
      isOver = true;
      resolve(next && answerOfAttempts(loop, request, next, ask));
      throw new NotAdmitted();
    };
    admittingAttempts(admit, () => ask(turn)).then(resolve, reject);
  });
}

/** The caller's request, with what the model has to be told in this one and in no other. */
function limited(request: Request, turn: Turn, { message, mayBeCutOff, signal }: HostedAgent): Request {
  const cutOff = mayBeCutOff ? signal : undefined;
  if (message === undefined && !cutOff) return request;
  const { toolChoice: _, tools, messages, modelSettings, ...rest } = request;
  return {
    ...rest,
    tools: turn.tools ? tools : tools.filter((tool) => turn.offers(nameOf(tool))),
    ...choiceOf(turn, request),
    messages: message === undefined ? messages : [...messages, new HumanMessage(message)],
    // The settings are bound to the model, which adds the signal to that of the invocation.
    ...((modelSettings || cutOff) && {
      modelSettings: { ...modelSettings, ...(cutOff && { signal: cutOff }) },
    }),
  };
}

/** In the last turn the model is made to call the final tool. LangChain's own for a form it is made to call anyway. */
function choiceOf({ tools, finalTool }: Turn, request: Request): Pick<Request, "toolChoice"> {
  const { toolChoice } = request;
  if (tools) return toolChoice === undefined ? {} : { toolChoice };
  const isOfAgent = request.tools.some((tool) => nameOf(tool) === finalTool);
  if (finalTool === undefined || !isOfAgent) return {};
  return { toolChoice: { type: "function", function: { name: finalTool } } };
}

function nameOf(tool: Request["tools"][number]): string {
  const { name, function: inner } = tool as { name?: string; function?: { name?: string } };
  return String(name ?? inner?.name);
}

/**
 * The tool with which the agent gives its answer: LangChain's own where that has a form and comes as a tool call, or else the
 * one that the options name.
 */
function finalToolOf({ responseFormat, tools }: Request): FinalTool {
  const forms = [responseFormat ?? []].flat().map((form) => Object(form).name as unknown);
  const [name] = forms;
  if (forms.length === 1 && typeof name === "string" && name.startsWith(ANSWER_TOOL)) return name;
  return (wanted) => tools.some((tool) => nameOf(tool) === wanted);
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

// LangChain's tools for an answer with a form. What has it comes with the form filled in, and is no bare message.
const ANSWER_TOOL = "extract-";

/** Does LangChain ask for this answer again, because it does not have the form that it must have? */
function isToBeCorrected(answer: Answer | undefined): boolean {
  if (!AIMessage.isInstance(answer)) return false;
  return answer.tool_calls?.some(({ name }) => name.startsWith(ANSWER_TOOL)) === true;
}

/** What an agent answers that must end. */
type NoAnswer = AIMessage | { structuredResponse: undefined; messages: [] };

const STOPPED = "turn-limit-stopped";

/**
 * Ends an agent in the middle of its loop: where the next answer would be there is none, and so LangChain ends the loop.
 * Hooks of other middleware that run after an answer would take the last one for it, and so get one that says why; it is
 * gone when the agent has ended.
 */
export function endLoop(loop: AgentLoop, messages: BaseMessage[]): NoAnswer {
  const last = messages.findLast(AIMessage.isInstance);
  const isSafe = loop.graph.hooksFollowModel === false || !last?.tool_calls?.length;
  if (isSafe && !loop.hasEnded) {
    loop.hasEnded = true;
    return { structuredResponse: undefined, messages: [] };
  }
  return new AIMessage({
    id: `${STOPPED}-${crypto.randomUUID()}`,
    content: "Stopped: a limit of this run is reached.",
  });
}

/** Removes what {@link endLoop} added. */
export function withoutStopped(messages: BaseMessage[]): BaseMessage[] {
  return messages.flatMap(({ id }) => (id?.startsWith(STOPPED) ? [new RemoveMessage({ id })] : []));
}
