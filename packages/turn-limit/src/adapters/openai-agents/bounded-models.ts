import type { Model, ModelProvider, Runner } from "@openai/agents";
import { untilAborted } from "../../run/until-aborted.ts";
import { CutOffError } from "../../run/work.ts";
import { withMethod } from "../shared/with-method.ts";
import type { AnyAgent } from "./governed-loop.ts";

// Also by what became of it, so that what is bounded already stays as it is.
const bounded = new WeakMap<object, object>();

/** Bounds the models that a runner knows. */
export function boundModelsOf({ config }: Runner): void {
  if (isModel(config.model)) config.model = boundedModel(config.model);
  config.modelProvider = boundedProvider(config.modelProvider);
}

/** Bounds the model of an agent that has one of its own. */
export function boundModelOf(agent: AnyAgent): void {
  const { model } = agent;
  if (isModel(model) && bounded.get(model) !== model) agent.model = boundedModel(model);
}

function isModel(model: string | Model | undefined): model is Model {
  return typeof model === "object" && model !== null;
}

function boundedModel(model: Model): Model {
  return once(model, () => {
    const answering = withMethod(model, "getResponse", (request) =>
      untilCutOff(request.signal, model.getResponse(request)),
    );
    return withMethod(answering, "getStreamedResponse", (request) =>
      streamUntilCutOff(request.signal, model.getStreamedResponse(request)),
    );
  });
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
