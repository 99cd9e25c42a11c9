import type { AssistantMessage } from "@earendil-works/pi-ai";
import type {
  CacheWarmingDecisionEvent,
  ContextEvent,
  ContextEventResult,
  ExtensionAPI,
  ExtensionContext,
} from "@earendil-works/pi-coding-agent";
import type { Boundary, RefuseAndSynthesize, Stop } from "turn-limit";
import type { AgentsBelow } from "../agents/agents-below.ts";
import type { SessionBudgets } from "../agents/session-budgets.ts";
import { hasPrice, type Run, type Turn, usageOf } from "../core.ts";
import type { Counters } from "../display/counters.ts";
import { say } from "../display/say.ts";
import type { Announcer } from "./announcer.ts";
import type { Brake } from "./brake.ts";
import { Instructions, WRAP_UP } from "./instructions.ts";
import { LastTurn } from "./last-turn.ts";
import { PlanHeaders } from "./plan-headers.ts";

type PiModel = NonNullable<ExtensionContext["model"]>;

/** What Pi calls the interface of a model that has each request answered by another one. */
const VIRTUAL_MODEL = "pi-virtual";

/** The turns of a session: whether each may begin, what the model is told in it, and what became of it. */
export class Turns {
  readonly #pi: ExtensionAPI;
  readonly #ctx: ExtensionContext;
  readonly #run: Run;
  readonly #budgets: SessionBudgets;
  readonly #counters: Counters;
  readonly #announcer: Announcer;
  readonly #brake: Brake;
  readonly #below: AgentsBelow;
  readonly #lastTurn: LastTurn;
  readonly #instructions = new Instructions();
  /** What the headers of answers tell of a subscription. */
  readonly plan: PlanHeaders;
  #answeredBy: PiModel | undefined;
  #refreshesCache = false;
  #isClosed = false;

  constructor(
    pi: ExtensionAPI,
    ctx: ExtensionContext,
    run: Run,
    budgets: SessionBudgets,
    counters: Counters,
    announcer: Announcer,
    brake: Brake,
    below: AgentsBelow,
  ) {
    this.#pi = pi;
    this.#ctx = ctx;
    this.#run = run;
    this.#budgets = budgets;
    this.#counters = counters;
    this.#announcer = announcer;
    this.#brake = brake;
    this.#below = below;
    this.#lastTurn = new LastTurn(pi, ctx);
    this.plan = new PlanHeaders(ctx, budgets);
  }

  /** A person prompted. */
  prompted(): void {
    this.#instructions.prompted(Date.now());
  }

  /** Can only a person's prompt make the agent work again? */
  get areExhausted(): boolean {
    const { view } = this.#run;
    // Every turn asks, and only an idle agent has to look at its limits for it.
    return view.status === "idle" && view.exhausted;
  }

  /** A turn is about to begin: lets it, holds it for a question, or aborts the run before the request. */
  async before({ messages }: ContextEvent): Promise<ContextEventResult | undefined> {
    const { signal } = this.#ctx;
    this.#lastTurn.turnComes();
    // A run that is already being aborted takes no further turn.
    if (signal?.aborted) return undefined;
    this.#counters.live();
    this.#brake.turnComes(this.areExhausted);
    await this.#below.update();
    const priced = this.#isPriced(this.#modelInUse);
    const next = await this.#run.nextTurn({ signal, priced, finalTool: this.#finalTool });
    if (this.#isClosed || signal?.aborted) return undefined;
    if (next.kind === "stop") await this.#brake.stop(next);
    if (next.kind === "turn") this.#begins(next);
    this.#counters.show();
    const changed = this.#instructions.transcript(messages);
    return changed && { messages: changed };
  }

  // The one of the settings, where the agent has it at the moment.
  get #finalTool(): string | false {
    const { finalTool } = this.#run.view.settings;
    return finalTool !== undefined && this.#pi.getActiveTools().includes(finalTool) && finalTool;
  }

  #begins(turn: Turn): void {
    const lastTurn = this.#lastTurn.begins(turn);
    if (lastTurn) this.#announcer.lastTurn(lastTurn);
    if (!turn.tools) return;
    this.#instructions.inform(turn.told);
    if (turn.directive === undefined) return;
    this.#instructions.tell(turn.directive);
    say(this.#ctx, "The agent is told to wrap up.");
  }

  /**
   * Pi decides whether to refresh the provider's prompt cache. It does so by a request of its own, which is not a turn.
   */
  cacheRefreshComes({ action }: CacheWarmingDecisionEvent): void {
    this.#refreshesCache = action === "warm";
  }

  /** The request is really being sent. */
  async sent(): Promise<void> {
    const isTurn = !this.#refreshesCache;
    this.#refreshesCache = false;
    if (isTurn) this.#run.turn.sent();
    await this.#brake.stopping;
  }

  /** The turn in flight has its answer, or will get none. `worksOn`: are there tool calls in it? */
  answered(message: AssistantMessage, worksOn: boolean): void {
    const { stopReason, provider, model } = message;
    // Pi calls an abort before the request an error.
    const aborted = stopReason === "aborted" || this.#ctx.signal?.aborted;
    const failure = aborted ? "aborted" : stopReason === "error" ? "failed" : undefined;
    // The model in use may be another one by now.
    const answeredBy = this.#modelCalled(provider, model);
    const usage = usageOf(message.usage, answeredBy);
    const windows = this.plan.take(failure !== undefined);
    const answer = { usage, model: { id: model, provider }, ...(windows && { windows }) };
    if (failure) this.#run.turn.failed(failure, answer);
    else this.#run.turn.answered(answer);
    if (!failure) {
      this.#instructions.done();
      this.#answeredBy = answeredBy;
      this.#isPriced(answeredBy);
    }
    // What Pi does after the last answer, for example a compaction, is not the agent's time.
    if (aborted || (!failure && !worksOn)) {
      this.#run.turn.rest();
      this.#counters.pause();
    }
    this.#counters.show();
  }

  /** The message of a turn with what a limit did: why it was aborted, or why it is a sub-agent's last. */
  explain(message: AssistantMessage): AssistantMessage | undefined {
    const { stop } = this.#run.view;
    return stop ? this.#announcer.explain(message, stop) : this.#lastTurn.explain(message);
  }

  /** The turn is over and another one will follow: tells the model to wrap up if it is time. */
  anotherComes(): void {
    const content = this.#run.turn.takeWrapUp();
    if (content === undefined) return;
    // Appended when the turn ends, and never queued: a queued message could cause a turn.
    this.#pi.sendMessage({ customType: WRAP_UP, content, display: true }, { triggerTurn: false });
  }

  /** Pi compacts and asks for the last answer again. */
  discarded(): void {
    this.#run.turn.discarded();
  }

  /** The time is up in the middle of a turn, or more was done than was admitted. */
  cutOff(decision: Stop | RefuseAndSynthesize): void {
    if (!this.#counters.isLive) return;
    if (decision.kind === "stop") return void this.#brake.stop(decision);
    this.#lastTurn.cutOffBy(decision);
    this.#brake.cutOff(decision);
  }

  /** The limit that cut off the work, while the tools-free turn is yet to be triggered. */
  get cutOffBy(): Boundary | undefined {
    return this.#lastTurn.awaitedBecauseOf;
  }

  /** Restores a cut-off from before a reload. */
  wasCutOff(by: Boundary): void {
    this.#lastTurn.cutOffBy(by);
  }

  /** The agent is idle. Triggers the tools-free turn if the work was cut off for it, and returns whether it was. */
  triggerLast(): boolean {
    return !this.#run.view.stop && this.#lastTurn.trigger();
  }

  /** The run is over. */
  reset(): void {
    this.#lastTurn.reset();
    this.#instructions.done();
    this.#refreshesCache = false;
  }

  /** Does no turn begin any more? */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** A turn that is held does not begin any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** The model that will answer. Which one a virtual model chooses is known afterwards: it may be the one of last time. */
  get #modelInUse(): PiModel | undefined {
    const { model } = this.#ctx;
    return model?.api === VIRTUAL_MODEL ? this.#answeredBy : model;
  }

  #modelCalled(provider: string, id: string): PiModel | undefined {
    const { model, modelRegistry } = this.#ctx;
    // The registry goes through all models.
    return model?.id === id && model.provider === provider ? model : modelRegistry.find(provider, id);
  }

  // Is the price of the model known, as far as it matters? If not, the person is told.
  #isPriced(model: PiModel | undefined): boolean {
    if (!model || hasPrice(model)) return true;
    const { cost: own, tokens } = this.#run.view.settings;
    const cost = [own, ...this.#budgets.sharedCosts].find(({ max }) => max !== "unlimited");
    if (!cost) return true;
    this.#announcer.unpriced(model.id, { cost, tokens });
    return false;
  }
}
