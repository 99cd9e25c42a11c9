import {
  type CallModelInputFilter,
  MaxTurnsExceededError,
  type RunErrorHandler,
  type RunErrorHandlers,
  type ToolErrorFormatter,
} from "@openai/agents";
import type { Stop } from "../../governor/Decision.ts";
import { errorOf } from "../shared/GovernedRuns.ts";
import type { AnyAgent, GovernedLoop } from "./GovernedLoop.ts";

const stops = new WeakMap<Error, Stop>();

/** Admits each request just before it is sent, and tells the model what it has to be told. Retries are below this. */
export function admitting(loop: GovernedLoop, own: CallModelInputFilter | undefined, synthesizes: boolean) {
  const filter: CallModelInputFilter = async (args) => {
    if (synthesizes) loop.requireOffered();
    const admission = await loop.send();
    if (admission.kind === "stop") throw errorAt(admission);
    const data = own ? await own(args) : args.modelData;
    if (admission.kind === "proceed") return data;
    // Not as a message: the session would keep it, and the next prompt on it would be told too.
    return { ...data, instructions: [data.instructions, admission.message].filter(Boolean).join("\n\n") };
  };
  return Object.assign(filter, { preserveInputIdentity: !own || own.preserveInputIdentity === true });
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

// The host hands this kind of error to its error handlers, together with the state.
function errorAt(stop: Stop): MaxTurnsExceededError {
  const error = new MaxTurnsExceededError(`Max ${stop.limit} (${stop.max}) exceeded`);
  stops.set(error, stop);
  return error;
}
