import type { Boundary } from "../../core/limits/boundary.ts";
import type { Model } from "../../core/meter/model.ts";
import type { Usage } from "../../core/meter/usage.ts";
import { NO_MORE } from "../../core/words.ts";
import type { Run } from "../../run/run.ts";
import type { Turn } from "../../run/turn.ts";
import type { AnswerReport } from "../protocols/protocol.ts";
import { stopIn } from "../stop-header.ts";
import { ForwardedRequest, modelOf, NOTHING, type TurnOfRequest } from "./forwarded-request.ts";
import type { AnswerPrices } from "./prices.ts";
import type { CountedRequest, ForwardVerdict } from "./verdict.ts";

/** Of more answers at once it is not waited for their usage. */
const MOST_GOING_ON = 10_000;

/** The requests of a run that are forwarded. Each holds its turn until it is answered. */
export class ForwardedRequests {
  readonly #prices: Pick<AnswerPrices, "priced" | "needModel">;
  readonly #inFlight = new Set<ForwardedRequest>();
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
  constructor(prices: Pick<AnswerPrices, "priced" | "needModel">, outerGateway?: string) {
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
    for (const { cutOff } of this.#inFlight) cutOff.cancel();
  }

  /** Resolves when none is in flight. */
  async settled(): Promise<void> {
    if (this.#inFlight.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Forwards a request, with `changed` instead of its body. */
  forward(request: CountedRequest, of: TurnOfRequest, changed?: Buffer): ForwardVerdict {
    const asked = this.#prices.needModel ? request.asked?.model : undefined;
    const one = new ForwardedRequest(this, request, of, asked, changed);
    this.#inFlight.add(one);
    this.sent(of.turn);
    return one;
  }

  /** A request with this path, if it asks again for an answer that the provider goes on with. It costs nothing itself. */
  askedAgain(path: string, run: Run): ForwardVerdict | undefined {
    const [, id = ""] = /\/responses\/([^/]+)$/.exec(path) ?? [];
    if (!this.#goOn.has(id)) return undefined;
    return {
      kind: "forward",
      takeBody: () => undefined,
      cutOff: undefined,
      mayResend: async () => true,
      ended: (report) => {
        const counted = this.#goOn.get(id);
        if (!report?.usage || !counted) return;
        this.#goOn.delete(id);
        run.spend("nested", without(report.usage, counted), { model: modelOf(report.model, undefined) });
      },
    };
  }

  /** It was sent, in this turn. */
  sent(turn: Turn): void {
    this.#count += 1;
    turn.sent();
  }

  /** An answer could not be counted. */
  failed(error: unknown): void {
    this.#uncountable ??= `An answer could not be counted (${error}). ${NO_MORE.requests}`;
  }

  /** What one took that is over, and of which model. */
  tookBy(
    one: ForwardedRequest,
    report: AnswerReport | undefined,
  ): { usage: Usage; model: Model | undefined } {
    this.#problem = report?.problem;
    const { upstream, provider, asked } = one;
    this.#noteStop(report?.stoppedBy, upstream);
    // The model that answered may have a longer name than the one that was asked, and no price under it.
    const models = [report?.model, asked].flatMap((id) => modelOf(id, provider) ?? []);
    const usage = this.#usageOf(report);
    return { usage, model: this.#prices.priced(usage, models) };
  }

  /** It is over, and counted. */
  over(one: ForwardedRequest): void {
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
