import type { Turn } from "../../run/turn.ts";
import { untilAborted } from "../../run/until-aborted.ts";
import type { HostedAgent } from "./hosted-agent.ts";

/**
 * The answer to a request, or the one that stands for it when the agent must end before it comes. `mayBeCutOff`: also in the
 * middle of it, where the provider may ignore its signal.
 */
export async function answerUntil<Answer>(
  cutOff: Pick<Turn, "signal" | "isAborted">,
  mayBeCutOff: boolean,
  request: () => PromiseLike<Answer>,
  none: () => Answer,
): Promise<Answer> {
  if (cutOff.isAborted) return none();
  try {
    if (!mayBeCutOff) return await request();
    return await untilAborted(cutOff.signal, request(), none);
  } catch (error) {
    if (cutOff.isAborted) return none();
    throw error;
  }
}

/** The end of what is cut off by this signal. */
export function cutOffBy(signal: AbortSignal): Pick<Turn, "signal" | "isAborted"> {
  return {
    signal,
    get isAborted() {
      return signal.aborted;
    },
  };
}

/** How an answer ends when the agent must end before it is complete. */
export interface CutOff<Answer, Part> {
  /** Stands for an answer that has not begun. */
  answer(): Answer;
  /** Ends a stream. */
  lastPart(callsTools: boolean): Part;
  /** Called when a stream has ended, however it ended. */
  ended?(callsTools: boolean): void;
}

/** A request to a model of the AI SDK's kind. */
interface ModelRequest {
  prompt: readonly unknown[];
  tools?: readonly object[] | undefined;
  toolChoice?: unknown;
  providerOptions?: unknown;
  abortSignal?: AbortSignal | undefined;
}

/**
 * The answer of a model of the AI SDK's kind, streamed or not, until the agent must end. Called for each request, also for
 * those that the host makes again by itself.
 */
export async function boundedAnswer<
  Request extends ModelRequest,
  Answer extends object,
  Part extends { type: string },
>(
  agent: HostedAgent,
  request: Request,
  send: (request: Request) => PromiseLike<Answer>,
  cutOff: CutOff<Answer, Part>,
): Promise<Answer> {
  const attempted = agent.attempt(request.abortSignal);
  const turn = attempted instanceof Promise ? await attempted : attempted;
  if (turn.kind === "stop") {
    request.abortSignal?.throwIfAborted();
    return cutOff.answer();
  }
  const { mayBeCutOff, cutOff: ours } = agent;
  const told = withMessage(request, agent.message, turn);
  // Where nothing can be cut off, the request is the caller's, and so is its signal.
  const sent = mayBeCutOff ? { ...told, abortSignal: agent.signalBeside(request.abortSignal) } : told;
  const answer = await answerUntil(ours, mayBeCutOff, () => send(sent), cutOff.answer);
  const streamed = answer as { stream?: ReadableStream<Part> };
  // Not in a copy: what the host has attached to the answer would be lost.
  if (mayBeCutOff && streamed.stream) streamed.stream = streamUntil(ours.signal, streamed.stream, cutOff);
  return answer;
}

/** With what the model is told in this one request. It is not a part of the conversation. */
function withMessage<Request extends ModelRequest>(
  request: Request,
  text: string | undefined,
  turn: Turn,
): Request {
  if (text === undefined) return request;
  const prompt = [...request.prompt, { role: "user", content: [{ type: "text", text }] }];
  return { ...request, prompt, ...(!turn.tools && lastChoice(request, turn)) };
}

/** What is offered in the last turn, also where the host made the request for another one: the final tool, if it has that. */
function lastChoice({ tools = [], providerOptions }: ModelRequest, turn: Turn): Partial<ModelRequest> {
  const offered = tools.filter((tool) => turn.offers(String(Object(tool).name)));
  if (offered.length === 0) return { tools: undefined, toolChoice: undefined };
  const toolChoice = thinks(providerOptions) ? { type: "auto" } : { type: "tool", toolName: turn.finalTool };
  return { tools: offered, toolChoice };
}

/** Anthropic refuses to make a model that thinks call a tool. */
function thinks(providerOptions: unknown): boolean {
  const { type = "disabled" } = Object(Object(Object(providerOptions).anthropic).thinking);
  return type !== "disabled";
}

function streamUntil<Part extends { type: string }>(
  signal: AbortSignal,
  stream: ReadableStream<Part>,
  { lastPart, ended }: Pick<CutOff<unknown, Part>, "lastPart" | "ended">,
): ReadableStream<Part> {
  const reader = stream.getReader();
  let callsTools = false;
  const bound = cutOffBy(signal);
  const read = () =>
    answerUntil(
      bound,
      true,
      () => reader.read(),
      () => undefined,
    );
  return new ReadableStream<Part>({
    async pull(controller) {
      const next = await read().catch((error) => {
        ended?.(callsTools);
        throw error;
      });
      if (next && !next.done) {
        callsTools ||= next.value.type === "tool-call";
        return controller.enqueue(next.value);
      }
      ended?.(callsTools);
      if (!next) {
        controller.enqueue(lastPart(callsTools));
        reader.cancel(signal.reason).catch(() => {});
      }
      controller.close();
    },
    cancel(reason) {
      ended?.(callsTools);
      return reader.cancel(reason);
    },
  });
}

/** A stream of these parts, for an answer that no model gave. */
export function streamOf<Part>(...parts: Part[]): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
