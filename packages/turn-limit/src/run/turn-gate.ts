import { type Ask, notBegun, PROCEED, type Reply, type TurnDecision } from "../core/governor/decision.ts";
import type { Engine } from "../core/governor/engine.ts";
import type { RequestKind } from "../core/governor/run.ts";
import { type Boundary, isReached } from "../core/limits/boundary.ts";
import type { CallGate } from "./call-gate.ts";
import type { Deadline } from "./deadline.ts";
import type { Pricing } from "./pricing.ts";
import { type Question, ROOM } from "./question.ts";
import type { Settlements } from "./settlements.ts";
import type { Reservation } from "./shared-budgets.ts";
import type { SharedPort } from "./shared-port.ts";
import { type AdmittedTurn, Turn, type TurnStop, turnStop } from "./turn.ts";
import { untilAborted } from "./until-aborted.ts";
import type { AgentKind, CurrentWork, Work } from "./work.ts";

/** A turn that an agent wants to begin. */
export interface WantedTurn {
  readonly agent: AgentKind;
  readonly as: RequestKind;
  /** Does the model have a price? */
  readonly priced: boolean | undefined;
  /** Ends the wait. */
  readonly signal: AbortSignal | undefined;
}

/** What one turn is admitted with, besides what all have. */
type Admitted = Pick<
  AdmittedTurn,
  "decision" | "agent" | "as" | "work" | "admission" | "reservation" | "isFailed"
>;

/** What was decided, with what shared budgets granted for it. */
interface Decided {
  decision: TurnDecision;
  /** The number of the turn, if it begins. */
  admission?: number;
  reservation?: Reservation | undefined;
}

/** Decides whether turns may begin: asks the governor, the person and the shared budgets. */
export class TurnGate {
  readonly #engine: Engine;
  readonly #deadline: Deadline;
  readonly #question: Question;
  readonly #shared: SharedPort;
  readonly #pricing: Pricing;
  readonly #calls: CallGate;
  readonly #settlements: Settlements;

  constructor(
    engine: Engine,
    deadline: Deadline,
    question: Question,
    shared: SharedPort,
    pricing: Pricing,
    calls: CallGate,
    settlements: Settlements,
  ) {
    this.#engine = engine;
    this.#deadline = deadline;
    this.#question = question;
    this.#shared = shared;
    this.#pricing = pricing;
    this.#calls = calls;
    this.#settlements = settlements;
  }

  /**
   * Whether the turn may begin, after asking the person if necessary. Several turns may wait for one reply: each is
   * decided afterwards, one by one. A sub-agent leaves the tools-free turn, and the limit's error, to the agent that was
   * prompted: it only has to stop.
   */
  async admit(wanted: WantedTurn, current: CurrentWork): Promise<Turn | TurnStop> {
    const { signal, as } = wanted;
    this.#deadline.tellTime();
    const end = this.#endFor(wanted, current.work);
    if (end) return turnStop(notBegun(end));
    const priced = this.#pricing.isPriced(this.#engine.view, wanted.priced);
    if (as !== "aside") this.#deadline.turnComes();
    // A run that was not started by a prompt.
    if (this.#engine.view.status === "idle") current.begin();
    const { work } = current;
    const again = () => this.#engine.beforeTurn({ priced, as });
    let decided = await this.#decide(wanted, work, again);
    while (decided.decision.kind === "ask") {
      const ask = decided.decision;
      const reply = await this.#question.replyTo(ask, work.info, signal);
      // The question stays unanswered, so the run will have been aborted, not declined.
      if (signal?.aborted || work.isOver) return turnStop(notBegun(ask));
      this.#deadline.tellTime();
      const isOpen = this.#question.isOpen(ask);
      const end = isOpen ? undefined : this.#endFor(wanted, work);
      if (end) return turnStop(notBegun(end));
      if (reply === ROOM) decided = await this.#decide(wanted, work, again);
      else {
        const heldAs = this.#leavesAnswer(wanted, ask, reply) ? "aside" : as;
        const answer = () => this.#question.answer(reply, ask, heldAs);
        decided = await this.#decide(wanted, work, answer, isOpen ? { ask, reply } : undefined);
      }
    }
    this.#deadline.watch();
    const { decision, admission, reservation } = decided;
    if (decision.kind === "stop") return turnStop(decision);
    return this.#turn({ decision, agent: wanted.agent, as, work, admission, reservation });
  }

  /** Counts a turn that another process took. Nobody is asked; `undefined`: it is not covered. */
  record(agent: AgentKind, work: Work): Turn | undefined {
    const decision = this.#engine.beforeTurn({ as: "turn" });
    if (decision.kind === "ask" || decision.kind === "stop") return undefined;
    return this.#turn({ decision, agent, as: "turn", work, admission: this.#engine.admission });
  }

  /** A turn whose request is not known here, for its calls. `isFailed`: that request failed. */
  unknown(agent: AgentKind, work: Work, isFailed = false): Turn {
    return this.#turn({ decision: PROCEED, agent, as: "turn", work, isFailed });
  }

  #turn(admitted: Admitted): Turn {
    return new Turn({
      ...admitted,
      engine: this.#engine,
      deadline: this.#deadline,
      pricing: this.#pricing,
      question: this.#question,
      calls: this.#calls,
      shared: this.#shared,
      settlements: this.#settlements,
    });
  }

  // Decides, with what shared budgets say. `replied`: a person may have allowed more.
  #decide(
    { as, signal }: WantedTurn,
    work: Work,
    decide: () => TurnDecision,
    replied?: { ask: Ask; reply: Reply | undefined },
  ): Promise<Decided> | Decided {
    const shared = this.#shared;
    if (!shared.isUsed) return { decision: decide(), admission: this.#engine.admission };
    const notBegin = (): Decided => ({
      decision: notBegun(replied?.ask ?? (this.#engine.view.standings[0] as Boundary)),
    });
    const decided = shared.inTurn(async (): Promise<Decided> => {
      // Several turns may wait for one reply: what it allows, it allows once.
      const said = replied && this.#question.isOpen(replied.ask) ? replied : undefined;
      const { ask, reply } = said ?? {};
      const isYes = ask !== undefined && shared.isYes(ask.limit, reply);
      let reserved = said && !isYes ? undefined : await shared.reserveTurn(as, said !== undefined);
      if (isYes && !reserved && shared.has(ask.limit)) {
        await shared.allow(ask.limit, reply as Reply);
        reserved = await shared.reserveTurn(as, true);
      }
      if (signal?.aborted || work.isOver) {
        await reserved?.release();
        return notBegin();
      }
      this.#deadline.tellTime();
      const decision = decide();
      const begins = decision.kind !== "ask" && decision.kind !== "stop";
      if (begins) {
        this.#settlements.start();
        const { admission } = this.#engine;
        return { decision, admission, reservation: await shared.begun(reserved) };
      }
      await reserved?.release();
      return { decision };
    });
    // Who aborts does not wait for a store. What it grants meanwhile is given back.
    return signal ? untilAborted(signal, decided, notBegin) : decided;
  }

  // Where the run ends, or has ended, for a sub-agent: other than by a decision that every turn gets.
  #endFor({ agent, as }: WantedTurn, work: Work): Boundary | undefined {
    if (agent === "prompted") return undefined;
    const { stop, synthesizing, standings } = this.#engine.view;
    if (stop || !(this.#engine.isExhausted(as) || synthesizing || work.isOver)) return undefined;
    return standings.find(({ used, max }) => isReached(used, max)) ?? standings[0];
  }

  // Is nobody there, so that the last answer is due? A sub-agent leaves it to the agent that was prompted.
  #leavesAnswer({ agent }: WantedTurn, ask: Ask, reply: Reply | undefined): boolean {
    const isUnanswered = agent === "sub-agent" && reply === "unanswered" && this.#question.isOpen(ask);
    return isUnanswered && this.#engine.endsInAnswerAlone;
  }
}
