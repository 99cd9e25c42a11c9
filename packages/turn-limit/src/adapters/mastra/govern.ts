import type { AgentExecutionOptionsBase } from "@mastra/core/agent";
import type { ProcessInputStepArgs, ProcessInputStepResult } from "@mastra/core/processors";
import type { RequestContext } from "@mastra/core/request-context";
import type { Admission, Driver } from "../../driver/driver.ts";
import { limitError, type Stop } from "../../governor/decision.ts";
import type { Failure, TurnEnd } from "../../governor/run.ts";
import { notRun } from "../../governor/wording.ts";
import { reportedUsage } from "../shared/reported-usage.ts";
import { GovernedTools } from "./governed-tools.ts";
import { BoundedModels, failingModel } from "./models.ts";
import { ToolPhase } from "./tool-phase.ts";

/** The options of `generate()` and `stream()` that limits have to do with. */
// biome-ignore lint/suspicious/noExplicitAny: the type of a run's output does not matter here.
export type RunOptions = AgentExecutionOptionsBase<any>;

/** What happens to the limits when a run of the host begins, wants a turn, and ends. */
export interface RunEvents {
  begins(requestContext: RequestContext | undefined): void;
  admitTurn(signal: AbortSignal | undefined): Promise<Admission>;
  ends(failure?: Failure): void;
}

/** What the host remembers of an answered request. */
type Step = ProcessInputStepArgs["steps"][number];

/**
 * Governs one run of the host, around the caller's own options. `prepareStep` is the gate before each request.
 * `onIterationComplete` asks already, because a run can still end there as if by itself.
 */
export function govern<Own extends RunOptions>(
  driver: Driver,
  own: Own,
  { begins, admitTurn, ends }: RunEvents,
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
  const toolPhase = new ToolPhase(driver);
  const tools = new GovernedTools(driver, toolPhase);
  const models = new BoundedModels(driver, toolPhase);

  // A resumed run has a new conversation, too. A run that is made to go on after its end has the same one.
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
    driver.turnEnded(failed ? "failed" : usageOf(steps[stepsBefore]));
  }

  function end(failure?: Failure): void {
    if (!open) return;
    toolPhase.closes();
    if (!failure) endTurn(false);
    open = awaitsAnswer = false;
    admitted = undefined;
    ends(failure);
  }

  function refuse(stop: Stop, { model, abort }: ProcessInputStepArgs): ProcessInputStepResult {
    stopped = true;
    const error = limitError(stop);
    if (error) return { model: failingModel(model, error) };
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

      const admission = admitted ?? (await admitTurn(signal));
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
      admitted = await admitTurn(signal);
      if (admitted.kind !== "stop" || limitError(admitted)) return wanted;
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

/** What the answer took. */
function usageOf(step: Step | undefined): TurnEnd {
  if (!step?.usage) return {};
  const { inputTokens: totalInput, outputTokens: output, cachedInputTokens: cacheRead } = step.usage;
  const { cacheCreationInputTokens: cacheWrite } = step.usage as { cacheCreationInputTokens?: number };
  return reportedUsage({ totalInput, output, cacheRead, cacheWrite });
}
