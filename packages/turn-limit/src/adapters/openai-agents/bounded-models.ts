import type { AgentInputItem, Model, ModelProvider, ModelRequest, Runner } from "@openai/agents";
import { joinedTexts, type Turn } from "../../run/turn.ts";
import { untilAborted } from "../../run/until-aborted.ts";
import { CutOffError } from "../../run/work.ts";
import { AsyncScope } from "../shared/async-scope.ts";
import type { HostedAgent } from "../shared/hosted-agent.ts";
import { mayLimitRequests, mayTell } from "../shared/runs.ts";
import { withMethod } from "../shared/with-method.ts";
import type { GovernedLoop } from "./governed-loop.ts";

// Also by what became of it, so that what is bounded already stays as it is.
const bounded = new WeakMap<object, object>();

// What the host itself adds to a retry: the provider's client must not make the request again, because nobody would see it.
const SENT_ONCE = { _internal: { runnerManagedRetry: true } };

// A request does not say which loop makes it, nor does who reads a property of an agent.
const loops = new AsyncScope<GovernedLoop>();

/** Runs a loop, to which the requests belong that are made meanwhile. */
export function asLoop<Result>(loop: GovernedLoop, run: () => Result): Result {
  return loops.run(loop, run);
}

/** The loop that runs now. */
export function currentLoop(): GovernedLoop | undefined {
  return loops.current;
}

/** Bounds the models that a loop can ask now, those of its runner and of its agent, if anybody has to see its requests. */
export function boundModels(runner: Runner, loop: GovernedLoop): void {
  const needed = areNeeded(loop.hosted) || mayGiveUp(runner, loop);
  loop.seesRequests = needed && loops.isThere;
  if (!needed) return;
  const { config } = runner;
  if (isModel(config.model)) config.model = boundedModel(config.model);
  config.modelProvider = boundedProvider(config.modelProvider);
  const { agent } = loop;
  if (isModel(agent.model) && bounded.get(agent.model) !== agent.model)
    agent.model = boundedModel(agent.model);
}

/**
 * Do the limits have to see each request: to cut it off, to count those that the host makes again by itself, to know the
 * model that answers, to make the model call the final tool, or to tell it at the end of the input what it has left?
 */
function areNeeded({ mayBeCutOff, run }: HostedAgent): boolean {
  const limitsRequests = mayLimitRequests(run);
  const tells = mayTell(run);
  if (limitsRequests) loops.requireFor("turn-limit/openai-agents", "requests");
  if (tells) loops.requireFor("turn-limit/openai-agents", "tell");
  const hasFinalTool = run.facts.settings.finalTool !== undefined;
  return mayBeCutOff || limitsRequests || tells || run.hasPrice || hasFinalTool;
}

/** May the host give up a request for which it has asked for everything? Then only the model knows whether it was sent. */
function mayGiveUp({ config }: Runner, { agent, options }: GovernedLoop): boolean {
  const guardrails = [...(config.inputGuardrails ?? []), ...agent.inputGuardrails];
  return guardrails.length > 0 || options.filtersInput === true || typeof agent.prompt === "function";
}

function isModel(model: string | Model | undefined): model is Model {
  return typeof model === "object" && model !== null;
}

function boundedModel(model: Model): Model {
  return once(model, () => {
    const answering = withMethod(model, "getResponse", async (request) => {
      const admitted = await admit(request);
      const response = await untilCutOff(request.signal, model.getResponse(admitted));
      loops.current?.answeredBy(response);
      return response;
    });
    return withMethod(answering, "getStreamedResponse", async function* (request) {
      const admitted = await admit(request);
      for await (const event of streamUntilCutOff(request.signal, model.getStreamedResponse(admitted))) {
        if (event.type === "response_done") loops.current?.answeredBy(event.response);
        yield event;
      }
    });
  });
}

/** The request as it may be sent, also one that is made again. Throws if it must not be. */
async function admit(request: ModelRequest): Promise<ModelRequest> {
  const loop = loops.current;
  if (!loop) return request;
  const { turn, unsaid, told } = await loop.attempt();
  const { systemInstructions, input } = request;
  return {
    ...request,
    ...(unsaid !== undefined && { systemInstructions: joinedTexts(systemInstructions, unsaid) ?? "" }),
    // Here the host does not see it: it is in no session. It comes after all that a provider caches.
    ...(told !== undefined && { input: [...itemsOf(input), { role: "user", content: told }] }),
    ...(!turn.tools && ofLastTurn(request, turn)),
    ...(mayLimitRequests(loop.hosted.run) && SENT_ONCE),
  };
}

/** What is offered in the last turn: nothing, or the final tool, which the model is made to call. */
function ofLastTurn({ tools, modelSettings }: ModelRequest, turn: Turn): Partial<ModelRequest> {
  const { toolChoice: _, ...settings } = modelSettings;
  const offered = tools.filter(({ name }) => turn.offers(name));
  const [tool] = offered;
  return {
    tools: offered,
    handoffs: [],
    modelSettings: tool ? { ...settings, toolChoice: tool.name } : settings,
  };
}

function itemsOf(input: ModelRequest["input"]): AgentInputItem[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : input;
}

function boundedProvider(provider: ModelProvider): ModelProvider {
  return once(provider, () =>
    withMethod(provider, "getModel", async (name) => boundedModel(await provider.getModel(name))),
  );
}

function once<Thing extends object>(thing: Thing, bound: () => Thing): Thing {
  const known = bounded.get(thing) as Thing | undefined;
  if (known) return known;
  const made = bound();
  bounded.set(thing, made).set(made, made);
  return made;
}

/**
 * The answer, or the host's kind of error for an aborted request if a limit ends it, also of a model that ignores its
 * signal. The host makes signals of its own from the run's: what they have in common is the reason.
 */
async function untilCutOff<Answer>(
  signal: AbortSignal | undefined,
  answer: Promise<Answer>,
): Promise<Answer> {
  if (!signal) return answer;
  return untilAborted(signal, answer, () => {
    if (!isCutOff(signal)) return answer;
    const message = "The request was cut off.";
    throw Object.assign(new Error(message, { cause: signal.reason }), { name: "AbortError" });
  });
}

async function* streamUntilCutOff<Event>(
  signal: AbortSignal | undefined,
  stream: AsyncIterable<Event>,
): AsyncIterable<Event> {
  const events = stream[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      isOver = true;
      const next = await untilCutOff(signal, events.next());
      if (next.done) return;
      isOver = false;
      yield next.value;
    }
  } finally {
    // A stream that is cut off may never end, so nobody waits for it.
    if (!isOver) await events.return?.();
    else if (signal && isCutOff(signal)) events.return?.().catch(() => {});
  }
}

function isCutOff({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof CutOffError;
}
