import type { Model } from "../../core/meter/model.ts";
import type { Usage } from "../../core/meter/usage.ts";
import type { SubAgent } from "../../run/agent-turns.ts";
import type { Run } from "../../run/run.ts";
import type { Turn } from "../../run/turn.ts";
import type { AnswerReport } from "../protocols/protocol.ts";
import type { Ending } from "./ending.ts";
import type { RequestsInFlight } from "./in-flight.ts";
import type { AnswerPrices } from "./prices.ts";
import type { CountedRequest, Verdict } from "./verdict.ts";

/** Whoever takes turns: the run's own agent, or one that works for it. */
type Agent = Pick<SubAgent, "nextTurn">;

/** What is forwarded, besides the request. */
interface Forwarding {
  readonly turn: Turn;
  readonly agent: Agent;
  /** Is it a turn of the agent's own loop? */
  readonly isMainTurn: boolean;
  /** What is sent instead of the received body. */
  readonly body?: Buffer | undefined;
}

const NOTHING: Usage = { input: 0, output: 0 };

/** The requests of a run that are forwarded. Each holds its turn until it is answered. */
export class ForwardedRequests {
  readonly #run: Run;
  readonly #inFlight: RequestsInFlight;
  readonly #prices: AnswerPrices;
  readonly #ending: Ending;
  #count = 0;
  #hasEstimates = false;

  constructor(run: Run, inFlight: RequestsInFlight, prices: AnswerPrices, ending: Ending) {
    this.#run = run;
    this.#inFlight = inFlight;
    this.#prices = prices;
    this.#ending = ending;
  }

  /** How many were sent. */
  get count(): number {
    return this.#count;
  }

  /** Is the usage of some of them estimated? */
  get hasEstimates(): boolean {
    return this.#hasEstimates;
  }

  /** Forwards a request, which is the request of this turn. */
  forward(request: CountedRequest, { turn, agent, isMainTurn, body }: Forwarding): Verdict {
    // The request is not kept in memory while its answer is streamed.
    const { asked, provider } = request;
    const { info } = this.#run;
    const { cutOff, ended } = this.#inFlight.begin(isMainTurn);
    let current = turn;
    let isOver = false;
    const answered = (usage: Usage, model?: Model) => this.#answered(current, info, usage, model);
    this.#sent(turn);
    return {
      kind: "forward",
      ...(body && { body }),
      cutOff,
      mayResend: async () => {
        const again = await this.#again(current, agent, cutOff);
        if (!again) return false;
        answered(NOTHING);
        current = again;
        return this.#ending.uncountable === undefined;
      },
      ended: (report) => {
        if (isOver) return;
        isOver = true;
        answered(this.#usageOf(report), modelOf(report?.model ?? asked?.model, provider));
        ended();
      },
    };
  }

  #sent(turn: Turn): void {
    this.#count += 1;
    turn.sent();
  }

  // The turn for the same request once more, if it may be sent. Never rejects.
  async #again({ as }: Turn, agent: Agent, signal: AbortSignal): Promise<Turn | undefined> {
    try {
      const turn = await agent.nextTurn({ signal, as: as === "aside" ? as : "retry" });
      if (turn.kind === "stop") return undefined;
      this.#sent(turn);
      return turn;
    } catch {
      return undefined;
    }
  }

  // After an answer that cannot be counted nothing more is sent. Never throws.
  #answered(turn: Turn, info: Run["info"], usage: Usage, model: Model | undefined): void {
    this.#prices.answered(model);
    try {
      if (this.#run.info === info) turn.answered({ usage, model });
      // The run began again meanwhile, which ended all turns. What this one took counts from now on.
      else this.#run.spend("nested", usage, { model });
    } catch (error) {
      this.#ending.countingFailed(error);
    }
    if (this.#prices.problem !== undefined) this.#run.warn(this.#prices.problem);
  }

  // The usage of an answer, or an estimate where it reports none.
  #usageOf(report: AnswerReport | undefined): Usage {
    if (report?.usage) return report.usage;
    if (!report?.estimate) return NOTHING;
    this.#hasEstimates = true;
    return report.estimate;
  }
}

/** The model with this id at this provider. `undefined`: it is not known. */
export function modelOf(id: string | undefined, provider: string | undefined): Model | undefined {
  return id === undefined ? undefined : { id, provider };
}
