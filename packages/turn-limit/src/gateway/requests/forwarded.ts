import type { Boundary } from "../../core/limits/boundary.ts";
import type { Model } from "../../core/meter/model.ts";
import type { Usage } from "../../core/meter/usage.ts";
import { NO_MORE } from "../../core/words.ts";
import type { SubAgent } from "../../run/agent.ts";
import type { Run } from "../../run/run.ts";
import type { Turn } from "../../run/turn.ts";
import type { AnswerReport } from "../protocols/protocol.ts";
import { stopIn } from "../stop-header.ts";
import type { AnswerPrices } from "./prices.ts";
import type { CountedRequest, Verdict } from "./verdict.ts";

/** The turn of a request, and the agent that takes it: the run's own, or one that works for it. */
interface TurnOfRequest {
  readonly run: Run;
  readonly turn: Turn;
  readonly agent: Pick<SubAgent, "nextTurn">;
  /** Is it a turn of the agent's own loop? */
  readonly isMainTurn: boolean;
}

/** A request that was forwarded and is not over. */
interface InFlight extends Pick<TurnOfRequest, "isMainTurn"> {
  readonly cut: AbortController;
}

type ForwardVerdict = Extract<Verdict, { kind: "forward" }>;

const NEVER = new AbortController().signal;

/** Of more answers at once it is not waited for their usage. */
const MOST_GOING_ON = 10_000;

const NOTHING: Usage = { input: 0, output: 0 };

/** The requests of a run that are forwarded. Each holds its turn until it is answered. */
export class ForwardedRequests {
  readonly #prices: Pick<AnswerPrices, "priced">;
  readonly #inFlight = new Set<InFlight>();
  #whenIdle: (() => void)[] = [];
  #count = 0;
  #hasEstimates = false;
  #uncountable: string | undefined;
  #problem: string | undefined;
  /** What was counted so far of answers that the provider goes on with, by their ids. */
  readonly #goOn = new Map<string, Usage>();

  readonly #outerGateway: string | undefined;
  #stoppedOutside: Boundary | undefined;

  /** `outerGateway`: the address, without a path, of the gateway of a run around this one. */
  constructor(prices: Pick<AnswerPrices, "priced">, outerGateway?: string) {
    this.#prices = prices;
    this.#outerGateway = outerGateway;
  }

  /** The limit of a run around this one because of which some were refused. */
  get stoppedOutside(): Boundary | undefined {
    return this.#stoppedOutside;
  }

  /** A request was not sent, for this reason. */
  refused(why: string): void {
    this.#problem = why;
  }

  /** How many were sent. */
  get count(): number {
    return this.#count;
  }

  /** Is the usage of some of them estimated? */
  get hasEstimates(): boolean {
    return this.#hasEstimates || this.#goOn.size > 0;
  }

  /** Why nothing more is sent, if an answer could not be counted. */
  get uncountable(): string | undefined {
    return this.#uncountable;
  }

  /** Why the provider did not answer the newest of them that is over, or why it was not sent. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Is a turn of the agent's own loop in flight? */
  get hasMainTurn(): boolean {
    return [...this.#inFlight].some(({ isMainTurn }) => isMainTurn);
  }

  /** Cuts off all that are in flight. */
  cutOff(): void {
    for (const { cut } of this.#inFlight) cut.abort();
  }

  /** Resolves when none is in flight. */
  async settled(): Promise<void> {
    if (this.#inFlight.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Forwards a request, with `changed` instead of its body. */
  forward(request: CountedRequest, of: TurnOfRequest, changed?: Buffer): Verdict {
    // The request is not kept in memory while its answer is streamed.
    const { asked, provider, upstream } = request;
    const { run, agent, isMainTurn } = of;
    let { turn } = of;
    let isOver = false;
    const one = { isMainTurn, cut: new AbortController() };
    const { signal: cutOff } = one.cut;
    const answered = (usage: Usage, model?: Model) => {
      try {
        // The run began again meanwhile, which ended all turns. What this one took counts from now on.
        if (turn.isOver) run.spend("nested", usage, { model });
        else turn.answered({ usage, model });
      } catch (error) {
        this.#uncountable ??= `An answer could not be counted (${error}). ${NO_MORE.requests}`;
      }
    };
    this.#inFlight.add(one);
    this.#sent(turn);
    return {
      kind: "forward",
      ...(changed && { body: changed }),
      cutOff,
      mayResend: async () => {
        try {
          const again = await agent.nextTurn({ signal: cutOff, as: turn.as === "aside" ? "aside" : "retry" });
          if (again.kind === "stop") return false;
          this.#sent(again);
          answered(NOTHING);
          turn = again;
        } catch {
          return false;
        }
        return this.#uncountable === undefined;
      },
      ended: (report) => {
        if (isOver) return;
        isOver = true;
        this.#problem = report?.problem;
        this.#noteStop(report?.stoppedBy, upstream);
        // The model that answered may have a longer name than the one that was asked, and no price under it.
        const models = [report?.model, asked?.model].flatMap((id) => modelOf(id, provider) ?? []);
        const usage = this.#usageOf(report);
        answered(usage, this.#prices.priced(usage, models));
        this.#over(one);
      },
    };
  }

  /** A request with this path, if it asks again for an answer that the provider goes on with. It costs nothing itself. */
  askedAgain(path: string, run: Run): ForwardVerdict | undefined {
    const [, id = ""] = /\/responses\/([^/]+)$/.exec(path) ?? [];
    if (!this.#goOn.has(id)) return undefined;
    return {
      kind: "forward",
      cutOff: NEVER,
      mayResend: async () => true,
      ended: (report) => {
        const counted = this.#goOn.get(id);
        if (!report?.usage || !counted) return;
        this.#goOn.delete(id);
        run.spend("nested", without(report.usage, counted), { model: modelOf(report.model, undefined) });
      },
    };
  }

  #sent(turn: Turn): void {
    this.#count += 1;
    turn.sent();
  }

  #over(one: InFlight): void {
    this.#inFlight.delete(one);
    if (this.#inFlight.size > 0) return;
    for (const resolve of this.#whenIdle) resolve();
    this.#whenIdle = [];
  }

  // Only the gateway around this one is believed that a limit of it was reached.
  #noteStop(said: string | undefined, upstream: string): void {
    if (said !== undefined && this.#outerGateway === new URL(upstream).origin)
      this.#stoppedOutside ??= stopIn(said);
  }

  // The usage of an answer, or an estimate where it reports none.
  #usageOf(report: AnswerReport | undefined): Usage {
    if (report?.usage) return report.usage;
    if (!report?.estimate) return NOTHING;
    const { estimate, goesOnAs } = report;
    if (goesOnAs !== undefined && this.#goOn.size < MOST_GOING_ON) this.#goOn.set(goesOnAs, estimate);
    else this.#hasEstimates = true;
    return estimate;
  }
}

/** What is left of a usage of which a part was counted before. */
function without(usage: Usage, counted: Usage): Usage {
  const { cacheRead = 0, cacheWrite = 0 } = usage;
  const left = (all: number, before = 0) => Math.max(0, all - before);
  return {
    input: left(usage.input, counted.input),
    output: left(usage.output, counted.output),
    cacheRead: left(cacheRead, counted.cacheRead),
    cacheWrite: left(cacheWrite, counted.cacheWrite),
  };
}

/** The model with this id at this provider. `undefined`: it is not known. */
export function modelOf(id: string | undefined, provider: string | undefined): Model | undefined {
  return id === undefined ? undefined : { id, provider };
}
