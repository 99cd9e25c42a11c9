import type { AgentExecutionOptionsBase } from "@mastra/core/agent";
import type { ProcessInputStepArgs, ProcessInputStepResult } from "@mastra/core/processors";
import type { RequestContext } from "@mastra/core/request-context";
import type { Stop } from "../../governor/Decision.ts";
import type { Mishap } from "../../governor/RequestStatus.ts";
import { notRun } from "../../governor/wording.ts";
import { type Admission, errorOf, type GovernedRuns } from "../shared/GovernedRuns.ts";
import { BoundedModels } from "./BoundedModels.ts";
import { failing } from "./failing.ts";
import { GovernedTools } from "./GovernedTools.ts";
import { ToolPhase } from "./ToolPhase.ts";
import { type Step, usageOf } from "./usageOf.ts";

/** The options of `generate()` and `stream()` that limits have to do with. */
// biome-ignore lint/suspicious/noExplicitAny: what a run puts out does not matter here.
export type RunOptions = AgentExecutionOptionsBase<any>;

/** What it means for the limits that a run of the host begins and ends. */
export interface RunEvents {
  begins(requestContext: RequestContext | undefined): void;
  ends(mishap?: Mishap): void;
}

/**
 * Governs one run of the host, around the options that it has. `prepareStep` is the gate before each request;
 * `onIterationComplete` asks it early, because there a run can still end as if by itself.
 */
export function govern<Own extends RunOptions>(
  runs: GovernedRuns,
  own: Own,
  { begins, ends }: RunEvents,
): Own & RunOptions {
  let open = false;
  let stopped = false;
  let awaitsAnswer = false;
  let conversation: unknown;
  let admitted: Admission | undefined;
  let signal: AbortSignal | undefined;
  // The host appends each step to the list that it shows before the request.
  let steps: readonly Step[] = [];
  let stepsBefore = 0;
  const toolPhase = new ToolPhase(runs);
  const tools = new GovernedTools(runs, toolPhase);
  const models = new BoundedModels(runs, toolPhase);

  // A run that is resumed has a new conversation too, and one that somebody makes go on after its end has the same.
  function beginUnlessUnderWay({ messageList, stepNumber, requestContext }: ProcessInputStepArgs): void {
    if (messageList !== conversation && (!open || stepNumber === 0)) {
      stopped = false;
      stepsBefore = 0;
      begins(requestContext);
    }
    conversation = messageList;
    open = true;
  }

  function endTurn(failed: boolean): void {
    if (!awaitsAnswer) return;
    awaitsAnswer = false;
    runs.turnEnded(failed ? "failed" : usageOf(steps[stepsBefore]));
  }

  function end(mishap?: Mishap): void {
    if (!open) return;
    toolPhase.closes();
    if (!mishap) endTurn(false);
    open = awaitsAnswer = false;
    admitted = undefined;
    ends(mishap);
  }

  function refuse(stop: Stop, { model, modelSettings, abort }: ProcessInputStepArgs): ProcessInputStepResult {
    stopped = true;
    const error = errorOf(stop);
    if (error) return { model: failing(model, error), modelSettings: { ...modelSettings, maxRetries: 0 } };
    end();
    return abort(notRun(stop));
  }

  return {
    ...own,
    stopWhen: own.stopWhen ?? (() => false),

    async prepareStep(args) {
      const prepared = (await own.prepareStep?.(args)) ?? {};
      toolPhase.closes();
      beginUnlessUnderWay(args);
      ({ steps, abortSignal: signal } = args);
      endTurn(steps.length === stepsBefore);
      stepsBefore = steps.length;
      if (signal?.aborted) return prepared;

      const admission = admitted ?? (await runs.admitTurn(signal));
      admitted = undefined;
      if (admission.kind === "stop") return refuse(admission, args);
      awaitsAnswer = true;
      if (admission.kind !== "proceed") {
        const transient = admission.kind === "synthesize";
        await args.sendSignal?.({ type: "reactive", contents: admission.message, transient });
      }
      const model = await models.of(args.model, prepared.model);
      if (admission.kind === "synthesize") {
        return { ...prepared, model, tools: tools.offer({}), toolChoice: "none" };
      }
      return { ...prepared, model, tools: tools.offer(prepared.tools ?? args.tools ?? {}) };
    },

    async onChunk(chunk) {
      if (chunk.type === "tool-call" && !chunk.payload.providerExecuted) {
        const { toolCallId: id, toolName: tool, args } = chunk.payload;
        tools.called({ id, tool, args });
      }
      await own.onChunk?.(chunk);
    },

    async onIterationComplete(iteration) {
      toolPhase.closes();
      const wanted = await own.onIterationComplete?.(iteration);
      endTurn(iteration.finishReason === "retry");
      if (stopped) return { continue: false };
      if (iteration.isFinal) {
        if (!wanted?.continue) end(iteration.finishReason === "error" ? "failed" : undefined);
        return wanted;
      }
      if (wanted?.continue === false || wanted?.feedback || signal?.aborted) return wanted;
      admitted = await runs.admitTurn(signal);
      if (admitted.kind !== "stop" || errorOf(admitted)) return wanted;
      end();
      return { continue: false };
    },

    async onFinish(result, context) {
      if (result.finishReason !== "suspended") end();
      await own.onFinish?.(result, context);
    },

    async onError(event) {
      end("failed");
      await own.onError?.(event);
    },

    async onAbort(event) {
      end("aborted");
      await own.onAbort?.(event);
    },
  };
}
