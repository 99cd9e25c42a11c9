import {
  type Ask,
  type CheckProgress,
  notBegun,
  type Reply,
  type TurnDecision,
} from "../core/governor/decision.ts";
import type { RequestKind } from "../core/governor/run-state.ts";
import { type Boundary, isReached } from "../core/limits/boundary.ts";
import { ROOM } from "./question.ts";
import type { RunServices } from "./services.ts";
import type { Admitted, TurnFacts } from "./turn.ts";
import { untilAborted } from "./until-aborted.ts";
import type { AgentKind, Work } from "./work.ts";

/** A turn that is wanted. `signal`: ends the wait for it. */
export interface Wanted extends TurnFacts {
  readonly priced: boolean;
  readonly hears: boolean;
  readonly finalTool: string | false | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What a person said to a question, and what is decided by it. `wasOpen`: it had not been decided before. */
interface Replied {
  readonly ask: Ask;
  readonly reply: Reply | undefined;
  readonly as: RequestKind;
  readonly wasOpen: boolean;
}

/** Is it not decided yet? */
export function isHeld(decision: TurnDecision): decision is Ask | CheckProgress {
  return decision.kind === "ask" || decision.kind === "check-progress";
}

/** What was decided, with what shared budgets granted for it. */
export type Decided = Omit<Admitted, "decision"> & { readonly decision: TurnDecision };

/**
 * Decides about a turn, with what shared budgets say: at once without them. It may be held then, for a question or to find out
 * whether the run got somewhere.
 */
export function decideTurn(
  services: RunServices,
  wanted: Wanted,
  replied?: Replied,
): Promise<Decided> | Decided {
  const { engine, question, shared, settlements } = services;
  if (!shared.isUsed)
    return { decision: byGovernor(services, wanted, replied), admission: engine.facts.admission };
  const { as, signal, work } = wanted;
  const asked = replied?.wasOpen ? replied : undefined;
  const notBegin = (): Decided => ({
    decision: notBegun(asked?.ask ?? (engine.facts.standings[0] as Boundary)),
  });
  const decided = shared.inTurn(async (): Promise<Decided> => {
    // Several turns may wait for one reply: what it allows, it allows once.
    const said = asked && question.isOpen(asked.ask) ? asked : undefined;
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
    engine.tellTime();
    const decision = byGovernor(services, wanted, replied);
    const begins = !isHeld(decision) && decision.kind !== "stop";
    if (begins) {
      settlements.start();
      const { admission } = engine.facts;
      return { decision, admission, reservation: await shared.begun(reserved) };
    }
    await reserved?.release();
    return { decision };
  });
  // Someone who aborts does not wait for a store. What it grants meanwhile is given back.
  return signal ? untilAborted(signal, decided, notBegin) : decided;
}

function byGovernor(services: RunServices, wanted: Wanted, replied: Replied | undefined): TurnDecision {
  const { engine, question } = services;
  if (!replied) return engine.turns.before(wanted);
  return question.answer(replied.reply, replied.ask, { as: replied.as, hears: wanted.hears });
}

/** Resolves what holds the turn, and decides again. */
export function decideHeldTurn(
  services: RunServices,
  held: Ask | CheckProgress,
  wanted: Wanted,
): Promise<Decided> | Decided {
  return held.kind === "ask" ? afterReply(services, held, wanted) : afterCheck(services, held, wanted);
}

// Finds out whether the run got somewhere, and decides again.
async function afterCheck(services: RunServices, check: CheckProgress, wanted: Wanted): Promise<Decided> {
  const { as, signal, work } = wanted;
  await services.question.check(check, work.info, signal);
  if (signal?.aborted || work.isOver) return { decision: notBegun(check) };
  services.engine.tellTime();
  const end = endFor(services, wanted.agent, as, work);
  return end ? { decision: notBegun(end) } : decideTurn(services, wanted);
}

// Asks, and decides by the reply, or again if somebody else allowed more.
async function afterReply(services: RunServices, ask: Ask, wanted: Wanted): Promise<Decided> {
  const { engine, question, observation, history } = services;
  const { as, signal, work } = wanted;
  const reply = await question.replyTo(ask, work.info, signal);
  // The limits may have been set again while it was asked.
  if (history?.isChoosing) await history.untilChosen(signal);
  // The question stays unanswered, so the run will have been aborted, not declined.
  if (signal?.aborted || work.isOver) return { decision: notBegun(ask) };
  engine.tellTime();
  const wasOpen = question.isOpen(ask);
  if (wasOpen && reply !== ROOM) observation?.tell("replied", { ...ask }, reply, work.info);
  const end = wasOpen ? undefined : endFor(services, wanted.agent, as, work);
  if (end) return { decision: notBegun(end) };
  if (reply === ROOM) return decideTurn(services, wanted);
  // If nobody is there and the last answer is due, a sub-agent leaves it to the agent that was prompted.
  const leavesAnswer =
    wanted.agent === "sub-agent" && reply === "unanswered" && wasOpen && engine.endsInAnswerAlone;
  return decideTurn(services, wanted, { ask, reply, as: leavesAnswer ? "aside" : as, wasOpen });
}

/** Where the run ends, or has ended, for a sub-agent: other than by a decision that every turn gets. */
export function endFor(
  services: RunServices,
  agent: AgentKind,
  as: RequestKind,
  work: Work,
): Boundary | undefined {
  if (agent === "prompted") return undefined;
  const { engine } = services;
  const { stop, synthesizing, standings } = engine.facts;
  if (stop || !(engine.isExhausted(as) || synthesizing || work.isOver)) return undefined;
  return standings.find(({ used, max }) => isReached(used, max)) ?? standings[0];
}
