import type { Model } from "../../core/meter/model.ts";
import type { Usage } from "../../core/meter/usage.ts";
import type { SubAgent } from "../../run/agent.ts";
import type { Run } from "../../run/run.ts";
import type { Turn } from "../../run/turn.ts";
import { Cancellation } from "../forward/cancellation.ts";
import type { AnswerReport } from "../protocols/protocol.ts";
import type { CountedRequest, ForwardVerdict } from "./verdict.ts";

/** The turn of a request, and the agent that takes it: the run's own, or one that works for it. */
export interface TurnOfRequest {
  readonly run: Run;
  readonly turn: Turn;
  readonly agent: Pick<SubAgent, "nextTurn">;
  /** Is it a turn of the agent's own loop? */
  readonly isMainTurn: boolean;
  /** To be called when it is over: did a whole answer arrive? */
  ended?(isAnswered: boolean): void;
}

/** What the requests of a run have in common. */
interface AllForwarded {
  readonly uncountable: string | undefined;
  sent(turn: Turn): void;
  failed(error: unknown): void;
  tookBy(
    one: ForwardedRequest,
    report: AnswerReport | undefined,
  ): { readonly usage: Usage; readonly model: Model | undefined };
  over(one: ForwardedRequest): void;
}

export const NOTHING: Usage = { input: 0, output: 0 };

/**
 * A request that was forwarded. It holds its turn until it is answered. Of what was received it keeps only what is needed at
 * its end: its answer may stream for long.
 */
export class ForwardedRequest implements ForwardVerdict {
  readonly kind = "forward";
  readonly cutOff = new Cancellation();
  /** Is it a turn of the agent's own loop? */
  readonly isMainTurn: boolean;
  readonly upstream: string;
  readonly provider: string | undefined;
  /** The model that it asks, if that matters. */
  readonly asked: string | undefined;
  readonly #all: AllForwarded;
  readonly #run: Run;
  readonly #agent: TurnOfRequest["agent"];
  readonly #ended: TurnOfRequest["ended"];
  #turn: Turn;
  #body: Buffer | undefined;
  #isOver = false;

  constructor(
    all: AllForwarded,
    { provider, upstream }: CountedRequest,
    { run, turn, agent, isMainTurn, ended }: TurnOfRequest,
    asked: string | undefined,
    body: Buffer | undefined,
  ) {
    this.#all = all;
    this.upstream = upstream;
    this.provider = provider;
    this.asked = asked;
    this.isMainTurn = isMainTurn;
    this.#run = run;
    this.#agent = agent;
    this.#ended = ended;
    this.#turn = turn;
    this.#body = body;
  }

  takeBody(): Buffer | undefined {
    const body = this.#body;
    this.#body = undefined;
    return body;
  }

  async mayResend(): Promise<boolean> {
    try {
      const again = await this.#agent.nextTurn({
        signal: this.cutOff.signal,
        as: this.#turn.as === "aside" ? "aside" : "retry",
      });
      if (again.kind === "stop") return false;
      this.#all.sent(again);
      this.#answered(NOTHING);
      this.#turn = again;
    } catch {
      return false;
    }
    return this.#all.uncountable === undefined;
  }

  ended(report: AnswerReport | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended?.(report?.isWhole === true);
    const { usage, model } = this.#all.tookBy(this, report);
    this.#answered(usage, model, report?.windows);
    this.#all.over(this);
  }

  #answered(usage: Usage, model?: Model, windows?: AnswerReport["windows"]): void {
    try {
      // The run began again meanwhile, which ended all turns. What this one took counts from now on.
      if (this.#turn.isOver) this.#run.spend("nested", usage, { model });
      else this.#turn.answered({ usage, model, windows });
    } catch (error) {
      this.#all.failed(error);
    }
  }
}

/** The model with this id at this provider. `undefined`: it is not known. */
export function modelOf(id: string | undefined, provider: string | undefined): Model | undefined {
  return id === undefined ? undefined : { id, provider };
}
