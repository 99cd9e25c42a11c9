import type { IterationCompleteContext, IterationCompleteResult } from "@mastra/core/agent";
import type { ProcessInputStepArgs, ProcessInputStepResult } from "@mastra/core/processors";
import type { Failure } from "../../core/governor/run-state.ts";
import type { Model } from "../../core/meter/model.ts";
import { notRun } from "../../core/words.ts";
import type { Turn, TurnAnswer, TurnStop } from "../../run/turn.ts";
import type { HostedAgent } from "../shared/hosted-agent.ts";
import { reportedUsage } from "../shared/reported-usage.ts";
import { mayRaise } from "../shared/runs.ts";
import { BoundedModels, failingModel } from "./bounded-models.ts";
import { endRules } from "./end-rules.ts";
import { GovernedTools } from "./governed-tools.ts";
import { Progress } from "./progress.ts";
import { type Hooks, markHooks } from "./run-options.ts";

/** What the host remembers of an answered request. */
type Step = ProcessInputStepArgs["steps"][number];
type Iteration = IterationCompleteContext;
type IterationResult = IterationCompleteResult | undefined;

/**
 * One run of the host. `prepareStep` is the gate before each request. `onIterationComplete` asks already, because a run
 * can still end there as if by itself.
 */
export class GovernedRun {
  readonly progress: Progress;
  readonly #models: BoundedModels;
  readonly tools: GovernedTools;
  readonly #hooks: Hooks;
  /** The caller's own: set again where the run is resumed. */
  own: Hooks = {};
  #conversation: unknown;
  #signal: AbortSignal | undefined;
  // The host appends each step to the list that it shows before the request.
  #steps: readonly Step[] = [];
  #stepsBefore = 0;
  // What the agent has in this step.
  #offered: Record<string, unknown> = {};
  // What was wrong with an answer's usage or price. The host ignores what `onIterationComplete` throws.
  #error: { error: unknown } | undefined;

  constructor(agent: HostedAgent) {
    this.progress = new Progress(agent);
    this.#models = new BoundedModels(this.progress);
    this.tools = new GovernedTools(this.progress);
    this.#hooks = markHooks(this.#makeHooks());
  }

  /** What the host is given. */
  get hooks(): Hooks {
    return { ...endRules(this.own, mayRaise(this.progress.agent.run)), ...this.#hooks };
  }

  /** The run is over, unless that is known already. */
  end(failure?: Failure): void {
    if (!failure) this.#endTurn(false);
    this.progress.end(failure);
  }

  #makeHooks(): Hooks {
    return {
      prepareStep: (args) => this.#prepareStep(args),
      onIterationComplete: (iteration) => this.#iterationCompleted(iteration),
      onFinish: async (result, context) => {
        if (result.finishReason !== "suspended") this.end();
        await this.own.onFinish?.(result, context);
        await this.progress.poolsSettled();
      },
      onError: async (event) => {
        this.end("failed");
        await this.own.onError?.(event);
        await this.progress.poolsSettled();
      },
      onAbort: async (event) => {
        this.end("aborted");
        await this.own.onAbort?.(event);
        await this.progress.poolsSettled();
      },
    };
  }

  // A resumed run has a new conversation, too. A run that is made to go on after its end has the same one.
  #beginUnlessUnderWay({ messageList, stepNumber }: ProcessInputStepArgs): void {
    if (messageList !== this.#conversation && (!this.progress.isOpen || stepNumber === 0)) {
      this.#stepsBefore = 0;
      this.#error = undefined;
      this.progress.begin();
    } else this.progress.goOn();
    this.#conversation = messageList;
  }

  async #prepareStep(args: ProcessInputStepArgs): Promise<ProcessInputStepResult | undefined> {
    const prepared = (await this.own.prepareStep?.(args)) ?? {};
    this.progress.toolsReturned();
    this.#beginUnlessUnderWay(args);
    this.#steps = args.steps;
    this.#signal = args.abortSignal;
    this.#offered = prepared.tools ?? args.tools ?? {};
    this.#endTurn(this.#steps.length === this.#stepsBefore);
    this.#stepsBefore = this.#steps.length;
    this.tools.turnBegins();
    if (this.#signal?.aborted) return prepared;
    if (this.#error) return { model: failingModel(args.model, this.#error.error) };

    const turn = await this.progress.agent.decideNext(this.#signal, undefined, this.#hasTool);
    if (this.#signal?.aborted) return prepared;
    if (turn.kind === "stop") return this.#refuse(turn, args);
    this.progress.turnBegins(turn);
    const model = await this.#models.of(args.model, prepared.model);
    this.progress.model = askedModel(model);
    const governed = { ...prepared, model };
    const offered = this.#offered;
    if (!turn.tools) return { ...governed, ...this.#lastTools(turn) };
    const tools = this.tools.govern(offered);
    return tools === offered ? governed : { ...governed, tools };
  }

  // What is offered in the last turn: nothing, or the final tool, which the model of that request is made to call.
  #lastTools({ finalTool }: Turn): Pick<ProcessInputStepResult, "tools" | "toolChoice"> {
    const tool = finalTool === undefined ? undefined : this.tools.govern(this.#offered)[finalTool];
    if (finalTool === undefined || !tool) return { tools: {}, toolChoice: "none" };
    return { tools: { [finalTool]: tool }, toolChoice: "auto" };
  }

  readonly #hasTool = (name: string): boolean => Object.hasOwn(this.#offered, name);

  #refuse(stop: TurnStop, { model, abort }: ProcessInputStepArgs): ProcessInputStepResult {
    this.progress.stop(stop);
    if (stop.error) return { model: failingModel(model, stop.error) };
    this.end();
    return abort(notRun(stop));
  }

  async #iterationCompleted(iteration: Iteration): Promise<IterationResult> {
    this.progress.toolsReturned();
    const { onIterationComplete, maxSteps } = this.own;
    const told = maxSteps === undefined ? iteration : { ...iteration, maxIterations: maxSteps };
    const wanted = (await onIterationComplete?.(told)) ?? undefined;
    this.#endTurn(iteration.finishReason === "retry");
    if (this.progress.isStopped) return { continue: false };
    // A limit that raises has ended the run: it goes on to its error, whatever else would end it.
    if (this.progress.agent.raised && !this.#signal?.aborted) return { continue: true };
    if (iteration.isFinal) {
      if (!wanted?.continue) this.end(iteration.finishReason === "error" ? "failed" : undefined);
      return wanted;
    }
    if (wanted?.continue === false || wanted?.feedback || this.#signal?.aborted || this.#error) return wanted;
    const turn = await this.progress.agent.decideNext(this.#signal, undefined, this.#hasTool);
    // While a person was asked: the host is to end as it does then.
    if (this.#signal?.aborted) return wanted;
    if (turn.kind === "turn" || turn.error) return wanted;
    this.end();
    return { continue: false };
  }

  #endTurn(failed: boolean): void {
    const step = this.#steps[this.#stepsBefore];
    try {
      this.progress.turnEnded(
        failed ? "failed" : { ...usageOf(step), model: modelOf(step, this.progress.model) },
      );
    } catch (error) {
      this.#error = { error };
    }
  }
}

/** What the answer took. */
function usageOf(step: Step | undefined): TurnAnswer {
  if (!step?.usage) return {};
  const { inputTokens: totalInput, outputTokens: output, cachedInputTokens: cacheRead } = step.usage;
  const { cacheCreationInputTokens: cacheWrite } = step.usage as { cacheCreationInputTokens?: number };
  return reportedUsage({ totalInput, output, cacheRead, cacheWrite });
}

/** The model that answered: as it names itself, or else as it was asked for. */
function modelOf(step: Step | undefined, asked: Model | undefined): Model | undefined {
  const id = step?.response?.modelId || asked?.id;
  return id ? { id, provider: asked?.provider } : undefined;
}

function askedModel(model: unknown): Model | undefined {
  const { modelId: id, provider } = Object(model) as { modelId?: string; provider?: string };
  return id ? { id, provider } : undefined;
}
