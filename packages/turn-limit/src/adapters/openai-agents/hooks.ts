import {
  type CallModelInputFilter,
  MaxTurnsExceededError,
  type RunErrorHandler,
  type RunErrorHandlers,
  type ToolErrorFormatter,
} from "@openai/agents";
import type { Stop } from "../../governor/Decision.ts";
import { type Admission, errorOf, type GovernedRuns } from "../shared/GovernedRuns.ts";
import type { AnyAgent, GovernedLoop } from "./GovernedLoop.ts";
import { requireOffered } from "./unsupported.ts";

const stops = new WeakMap<Error, Stop>();

/**
 * Admits each request of a sandbox's agents just before it is sent. Only there: with any filter the host goes through
 * the whole input once more for every turn.
 */
export function admitting(loop: GovernedLoop, own: CallModelInputFilter | undefined, synthesizes: boolean) {
  const filter: CallModelInputFilter = async (args) => {
    if (synthesizes) requireOffered(loop.agent, loop.asked);
    const admission = await loop.send();
    const data = own ? await own(args) : args.modelData;
    if (admission.kind !== "stop") loop.sent();
    const instructions = withMessage(data.instructions, admission);
    return instructions === undefined ? data : { ...data, instructions };
  };
  return Object.assign(filter, { preserveInputIdentity: !own || own.preserveInputIdentity === true });
}

/**
 * The instructions of a request that may be sent, with what the model has to be told; throws where it may not. Retries
 * are below this.
 */
export function withMessage(instructions: string | undefined, admission: Admission): string | undefined {
  if (admission.kind === "stop") throw errorAt(admission);
  if (admission.kind === "proceed") return instructions;
  // Not as a message: the session would keep it, and the next prompt on it would be told too.
  return [instructions, admission.message].filter(Boolean).join("\n\n");
}

/** Words the rejection of a call that must not run. */
export function refusing(loop: GovernedLoop, own: ToolErrorFormatter | undefined): ToolErrorFormatter {
  return (call) => {
    const outOfPlace = call.kind === "tool_not_found" && !loop.runs.governor.synthesizing;
    return (outOfPlace ? undefined : loop.refusal(call.callId)) ?? own?.(call);
  };
}

/** Ends a run at its boundary: without an error where the host can, and with the state where it cannot. */
export function stopping(own: RunErrorHandlers<unknown, AnyAgent> = {}): RunErrorHandler<unknown, AnyAgent> {
  return async (failure) => {
    const { error, runData } = failure;
    const stop = stops.get(error);
    const exceeded = stop && errorOf(stop);
    if (exceeded) throw Object.assign(exceeded, { state: runData.state });
    if (runData.state) error.state ??= runData.state;
    const handled = await (own.maxTurns ?? own.default)?.(failure);
    if (handled || !stop || runData.lastAgent?.outputType !== "text") return handled;
    return { finalOutput: "", includeInHistory: false };
  };
}

/** What a run rejects with: that it was cut off, whatever the request that was under way made of it. */
export function errorOfRun({ governor, cutOff }: GovernedRuns, error: unknown): unknown {
  const known = error instanceof Error && stops.has(error);
  return governor.stop && cutOff.aborted && !known ? errorAt(governor.stop) : error;
}

/** The host hands this kind of error to its error handlers, together with the state. */
export function errorAt(stop: Stop): MaxTurnsExceededError {
  const error = new MaxTurnsExceededError(`Max ${stop.limit} (${stop.max}) exceeded`);
  stops.set(error, stop);
  return error;
}
