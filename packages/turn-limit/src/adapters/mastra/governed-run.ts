import type { IterationCompleteContext, IterationCompleteResult } from "@mastra/core/agent";
import type { ProcessInputStepArgs, ProcessInputStepResult } from "@mastra/core/processors";
import { limitError, type Stop } from "../../core/governor/decision.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure, TurnEnd } from "../../core/governor/run.ts";
import { notRun } from "../../core/governor/wording.ts";
import type { Model } from "../../core/meter/model.ts";
import type { Admission, Driver } from "../../pools/old-driver/driver.ts";
import type { RunInfo } from "../../run/run-info.ts";
import { reportedUsage } from "../shared/reported-usage.ts";
import { BoundedModels, failingModel } from "./bounded-models.ts";
import { GovernedTools } from "./governed-tools.ts";
import { type Hooks, markHooks } from "./run-options.ts";
import { ToolPhase } from "./tool-phase.ts";

/** What a run of the host is to the driver: the run of the agent that was prompted, or a part of it. */
export interface Role {
  begins(run: Partial<RunInfo>): void;
  admitTurn(signal: AbortSignal | undefined): Promise<Admission>;
  ends(failure?: Failure): void;
  /** Is it a part of another run of the host? */
  isNested: boolean;
}

/** The run of the agent that was prompted. */
export function promptedBy(driver: Driver): Role {
  return {
    begins: (run) => driver.begin(run),
    admitTurn: (signal) => driver.admitTurn(signal),
    ends: (failure) => void driver.end(failure),
    isNested: false,
  };
}

/** The run of a sub-agent, within a tool call of the run that the driver has. */
export function subAgentOf(driver: Driver): Role {
  return {
    begins() {},
    admitTurn: (signal) => driver.admitSubAgentTurn(signal),
    ends: (failure) => failure && driver.turnEnded(failure),
    isNested: true,
  };
}

const never = () => false;

/** What the host remembers of an answered request. */
type Step = ProcessInputStepArgs["steps"][number];
type AskedModel = { modelId?: string; provider?: string };
type Iteration = IterationCompleteContext;
type IterationResult = IterationCompleteResult | undefined;

/**
 * One run of the host. `prepareStep` is the gate before each request. `onIterationComplete` asks already, because a run
 * can still end there as if by itself.
 */
export class GovernedRun {
  readonly #driver: Driver;
  readonly #role: Role;
  readonly #toolPhase: ToolPhase;
  readonly #models: BoundedModels;
  readonly tools: GovernedTools;
  /** What the host is given. */
  readonly hooks: Hooks;
  /** The caller's own, and which run it is: set again where the run is resumed. */
  own: Hooks = {};
  info: Partial<RunInfo> = {};
  /** Called when it ends. */
  whenOver = () => {};
  #isOpen = false;
  #isOver = false;
  #isStopped = false;
  #awaitsAnswer = false;
  #conversation: unknown;
  #admitted: Admission | undefined;
  #signal: AbortSignal | undefined;
  #model: AskedModel | undefined;
  // The host appends each step to the list that it shows before the request.
  #steps: readonly Step[] = [];
  #stepsBefore = 0;

  constructor(driver: Driver, role: Role) {
    this.#driver = driver;
    this.#role = role;
    this.#toolPhase = new ToolPhase(driver);
    this.#models = new BoundedModels(driver, this.#toolPhase);
    this.tools = new GovernedTools(driver, this.#toolPhase, () => this.#isOpen || this.#begin());
    this.hooks = markHooks(this.#makeHooks());
  }

  /** Has it ended? */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** How it ended, if it was a run of its own. */
  get outcome(): Outcome | undefined {
    return this.#driver.outcome;
  }

  /** The run is over, unless that is known already. */
  end(failure?: Failure): void {
    if (!this.#isOpen) return;
    this.#toolPhase.closes();
    if (!failure) this.#endTurn(false);
    this.#isOpen = this.#awaitsAnswer = false;
    this.#isOver = true;
    this.#admitted = undefined;
    this.#role.ends(failure);
    this.whenOver();
  }

  /** Resolves when pools have been told what the run used, if it is over. */
  poolsSettled(): Promise<void> | undefined {
    return this.#isOver && !this.#role.isNested ? this.#driver.poolsSettled() : undefined;
  }

  /** It waits for a person, and is not going to be resumed. What is a part of another run ends with that one. */
  abandon(): void {
    if (!this.#role.isNested) this.end("aborted");
  }

  #makeHooks(): Hooks {
    const run = this;
    return {
      // In place of the host's own limit of 5 steps.
      get stopWhen() {
        return run.own.stopWhen ?? never;
      },
      prepareStep: (args) => this.#prepareStep(args),
      onIterationComplete: (iteration) => this.#iterationCompleted(iteration),
      onFinish: async (result, context) => {
        if (result.finishReason !== "suspended") this.end();
        await this.own.onFinish?.(result, context);
        await this.poolsSettled();
      },
      onError: async (event) => {
        this.end("failed");
        await this.own.onError?.(event);
        await this.poolsSettled();
      },
      onAbort: async (event) => {
        this.end("aborted");
        await this.own.onAbort?.(event);
        await this.poolsSettled();
      },
    };
  }

  #begin(): void {
    this.#isOpen = true;
    this.#isOver = this.#isStopped = false;
    this.#stepsBefore = 0;
    this.#role.begins(this.info);
  }

  // A resumed run has a new conversation, too. A run that is made to go on after its end has the same one.
  #beginUnlessUnderWay({ messageList, stepNumber }: ProcessInputStepArgs): void {
    if (messageList !== this.#conversation && (!this.#isOpen || stepNumber === 0)) this.#begin();
    this.#conversation = messageList;
    this.#isOpen = true;
  }

  async #prepareStep(args: ProcessInputStepArgs): Promise<ProcessInputStepResult | undefined> {
    const prepared = (await this.own.prepareStep?.(args)) ?? {};
    this.#toolPhase.closes();
    this.#beginUnlessUnderWay(args);
    this.#steps = args.steps;
    this.#signal = args.abortSignal;
    this.#endTurn(this.#steps.length === this.#stepsBefore);
    this.#stepsBefore = this.#steps.length;
    this.tools.turnBegins();
    if (this.#signal?.aborted) return prepared;

    const admission = this.#admitted ?? (await this.#role.admitTurn(this.#signal));
    this.#admitted = undefined;
    if (this.#signal?.aborted) return prepared;
    if (admission.kind === "stop") return this.#refuse(admission, args);
    this.#awaitsAnswer = true;
    const model = await this.#models.of(args.model, prepared.model);
    this.#model = typeof model === "object" ? (model as AskedModel) : undefined;
    this.#models.tell(admission.kind === "proceed" ? undefined : admission.message);
    const governed = { ...prepared, model };
    if (admission.kind === "synthesize") return { ...governed, tools: {}, toolChoice: "none" };
    const offered = prepared.tools ?? args.tools ?? {};
    const tools = this.tools.govern(offered);
    return tools === offered ? governed : { ...governed, tools };
  }

  #refuse(stop: Stop, { model, abort }: ProcessInputStepArgs): ProcessInputStepResult {
    this.#isStopped = true;
    const error = limitError(stop);
    if (error) return { model: failingModel(model, error) };
    this.end();
    return abort(notRun(stop));
  }

  async #iterationCompleted(iteration: Iteration): Promise<IterationResult> {
    this.#toolPhase.closes();
    const wanted = (await this.own.onIterationComplete?.(iteration)) ?? undefined;
    this.#endTurn(iteration.finishReason === "retry");
    if (this.#isStopped) return { continue: false };
    if (iteration.isFinal) {
      if (!wanted?.continue) this.end(iteration.finishReason === "error" ? "failed" : undefined);
      return wanted;
    }
    if (wanted?.continue === false || wanted?.feedback || this.#signal?.aborted) return wanted;
    this.#admitted = await this.#role.admitTurn(this.#signal);
    // While a person was asked: the host is to end as it does then.
    if (this.#signal?.aborted) return wanted;
    if (this.#admitted.kind !== "stop" || limitError(this.#admitted)) return wanted;
    this.end();
    return { continue: false };
  }

  #endTurn(failed: boolean): void {
    if (!this.#awaitsAnswer) return;
    this.#awaitsAnswer = false;
    const step = this.#steps[this.#stepsBefore];
    this.#driver.turnEnded(failed ? "failed" : usageOf(step), modelOf(step, this.#model));
  }
}

/** What the answer took. */
function usageOf(step: Step | undefined): TurnEnd {
  if (!step?.usage) return {};
  const { inputTokens: totalInput, outputTokens: output, cachedInputTokens: cacheRead } = step.usage;
  const { cacheCreationInputTokens: cacheWrite } = step.usage as { cacheCreationInputTokens?: number };
  return reportedUsage({ totalInput, output, cacheRead, cacheWrite });
}

/** The model that answered: as it names itself, or else as it was asked for. */
function modelOf(step: Step | undefined, asked: AskedModel | undefined): Model | undefined {
  const id = step?.response?.modelId || asked?.modelId;
  return id ? { id, provider: asked?.provider } : undefined;
}
