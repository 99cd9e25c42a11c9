import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AsyncCaller } from "@langchain/core/utils/async_caller";
import { UnsupportedOption } from "../../core/errors/unsupported-option.ts";
import { AsyncScope } from "../shared/async-scope.ts";

/** Before each request to a model. Throws if it must not be sent. */
export type Admit = () => Promise<void>;

/** A request of an agent, in which models are asked. `isInModel`: one of them is at work. */
interface Scope {
  readonly admit: Admit;
  readonly isInModel?: true;
}

type Callable = (...given: unknown[]) => Promise<unknown>;

/** The methods of the host's classes that requests go through. */
interface Models {
  _generateUncached(...given: unknown[]): Promise<unknown>;
}
interface Callers {
  call(callable: Callable, ...given: unknown[]): Promise<unknown>;
  callWithOptions(options: unknown, callable: Callable, ...given: unknown[]): Promise<unknown>;
}

const ADAPTER = "turn-limit/langchain";
const scopes = new AsyncScope<Scope>();
let isWatching = false;

/**
 * Makes a request of an agent. Each time that a model is asked in it is admitted first: by the agent, by middleware that asks
 * again or another model, and by the model's client, which asks again by itself.
 */
export function admittingAttempts<Answer>(admit: Admit, ask: () => Answer): Answer {
  watchModels();
  return scopes.run({ admit }, ask);
}

/** Refuses a model whose requests cannot be seen. */
export async function requireWatched(model: unknown): Promise<void> {
  scopes.requireFor(ADAPTER, "requests");
  const { bound, _getModelInstance: instance } = Object(model);
  if (bound) return requireWatched(bound);
  if (typeof instance === "function") return requireWatched(await instance.call(model));
  if (model instanceof BaseChatModel && model.caller instanceof AsyncCaller) return;
  throw new UnsupportedOption(
    ADAPTER,
    "requests",
    "the requests of this model cannot be seen. Is @langchain/core installed twice, or loaded with require() and with " +
      "import? Load it once, or limit turns instead.",
  );
}

/**
 * It is the classes that have to be watched: a model makes others of itself, with clients of their own. Of a request outside
 * of {@link admittingAttempts} nothing changes.
 */
function watchModels(): void {
  if (isWatching) return;
  isWatching = true;
  const models = BaseChatModel.prototype as unknown as Models;
  const { _generateUncached: generate } = models;
  models._generateUncached = async function (...given) {
    const scope = scopes.current;
    if (!scope) return generate.apply(this, given);
    await scope.admit();
    return scopes.run({ ...scope, isInModel: true }, () => generate.apply(this, given));
  };
  const callers = AsyncCaller.prototype as unknown as Callers;
  const { call, callWithOptions } = callers;
  callers.call = function (callable, ...given) {
    return call.call(this, admittingRetries(callable), ...given);
  };
  callers.callWithOptions = function (options, callable, ...given) {
    return callWithOptions.call(this, options, admittingRetries(callable), ...given);
  };
}

const admitting = new WeakSet<Callable>();

/** What a client calls, again if it fails. The first time is the model's own. */
function admittingRetries(callable: Callable): Callable {
  const scope = scopes.current;
  if (!scope?.isInModel || admitting.has(callable)) return callable;
  let isRetry = false;
  const admitted: Callable = async (...given) => {
    if (isRetry) await scope.admit();
    isRetry = true;
    return callable(...given);
  };
  admitting.add(admitted);
  return admitted;
}
