import {
  type CallModelInputFilter,
  MaxTurnsExceededError,
  ModelBehaviorError,
  type RunErrorHandler,
  type RunErrorHandlers,
  type Runner,
  type ToolErrorFormatter,
} from "@openai/agents";
import { isLimitExceeded } from "../../core/errors/limit-exceeded.ts";
import { limitError, type Stop } from "../../core/governor/decision.ts";
import { joinedTexts, type Turn, type TurnStop } from "../../run/turn.ts";
import type { HostedAgent } from "../shared/hosted-agent.ts";
import { maySynthesize } from "../shared/runs.ts";
import type { AnyAgent, GovernedLoop } from "./governed-loop.ts";
import { requireOffered } from "./requirements.ts";

type ToolNotFoundBehavior = NonNullable<Runner["config"]["toolNotFoundBehavior"]>;

const stops = new WeakMap<Error, Stop>();

/**
 * Admits each request of a sandbox's agents just before it is sent. Only there: with any filter the host goes through
 * the whole input once more for every turn.
 */
export function admitRequests(loop: GovernedLoop, own: CallModelInputFilter | undefined) {
  const filter: CallModelInputFilter = async (args) => {
    if (maySynthesize(loop.hosted.run)) requireOffered(loop.agent, loop.asked);
    const turn = await loop.send();
    const data = own ? await own(args) : args.modelData;
    if (turn.kind === "turn") loop.prepared();
    const instructions = withMessage(data.instructions, turn);
    return instructions === undefined ? data : { ...data, instructions };
  };
  return Object.assign(filter, { preserveInputIdentity: !own || own.preserveInputIdentity === true });
}

/** The instructions of a request that may be sent, with what the model has to do. Throws if it must not be sent. */
export function withMessage(instructions: string | undefined, turn: Turn | TurnStop): string | undefined {
  if (turn.kind === "stop") throw errorAt(turn);
  // Not as a message: the session would keep it, and the next prompt be told, too.
  return joinedTexts(instructions, turn.directive);
}

/**
 * Words what becomes of calls of tools that the host does not find. The limits do not deal with those, except in the
 * tools-free turn, in which none exists: otherwise the run ends with the host's own error where it ends with that.
 */
export function wordUnknownTools(
  loop: GovernedLoop,
  own: ToolErrorFormatter | undefined,
  otherwise: ToolNotFoundBehavior,
): ToolErrorFormatter {
  return async (call) => {
    if (call.kind !== "tool_not_found") return own?.(call);
    const { agent, hosted } = loop;
    const { turn } = hosted;
    const { callId: id, toolName: tool } = call;
    const refused = turn.tools ? undefined : await turn.call({ id, tool });
    if (refused?.kind === "refused") return refused.reason;
    if (otherwise === "return_error_to_model") return own?.(call);
    loop.failure = new ModelBehaviorError(`Tool ${tool} not found in agent ${agent.name}.`);
    return undefined;
  };
}

/**
 * Ends a run at its boundary: with what the final tool made of the answer, without an error where the host can, and with the state where it cannot. Also one that a limit
 * that raises has ended before the host's own limit of turns did.
 */
export function handleStop(
  loop: GovernedLoop,
  own: RunErrorHandlers<unknown, AnyAgent> = {},
): RunErrorHandler<unknown, AnyAgent> {
  const { hosted } = loop;
  return async (failure) => {
    const { error, runData } = failure;
    const { delivered } = loop;
    const stop = stops.get(error);
    const exceeded = stop ? limitError(stop) : hosted.raised;
    if (exceeded) throw Object.assign(exceeded, { state: runData.state });
    if (runData.state) error.state ??= runData.state;
    const takesText = runData.lastAgent?.outputType === "text";
    // As where the host's own rule ends a run with the result of a tool.
    if (stop && delivered !== undefined && takesText)
      return { finalOutput: String(delivered), includeInHistory: false };
    const handled = await (own.maxTurns ?? own.default)?.(failure);
    if (handled || !stop || !takesText) return handled;
    return { finalOutput: "", includeInHistory: false };
  };
}

/** What a run rejects with. If it was cut off: the limit's error, whatever the host made of the aborted request. */
export function errorOfRun({ run, signal, raised }: HostedAgent, error: unknown): unknown {
  const { stop } = run.facts;
  const isOurs = isLimitExceeded(error) || (error instanceof Error && stops.has(error));
  if (!stop || !signal.aborted || isOurs) return error;
  return raised ?? errorAt(stop);
}

/** The result of a stream, with what the host has not declared. */
interface StreamedResult {
  readonly completed: Promise<void>;
  _raiseError?(error: unknown): void;
}

/** Makes a stream fail if it is cut off by a limit that raises. By itself the host only cancels a stream. */
export function raiseWhenCutOff(result: StreamedResult, hosted: HostedAgent, signal: AbortSignal): void {
  const raise = () => {
    if (hosted.raised) result._raiseError?.(hosted.raised);
  };
  const release = () => signal.removeEventListener("abort", raise);
  signal.addEventListener("abort", raise);
  result.completed.then(release, release);
}

/** Lets the promise of a stream's end wait until the pools of its run have been told what it used, if it has any. */
export function completeWhenSettled(result: StreamedResult, { run: { shared } }: HostedAgent): void {
  if (!shared.isUsed) return;
  const completed = result.completed.finally(() => shared.done());
  // The host's own promise is for nobody then, and neither may be this one.
  completed.catch(() => {});
  Object.defineProperty(result, "completed", { value: completed, configurable: true });
}

/** The host hands this kind of error to its error handlers, together with the state. */
export function errorAt(stop: Stop): MaxTurnsExceededError {
  const error = new MaxTurnsExceededError(`Max ${stop.limit} (${stop.max}) exceeded`);
  stops.set(error, stop);
  return error;
}
