import type { Max } from "../../src/index.ts";
import { isOut, startOver } from "./Budget.ts";
import {
  beginAgain,
  beginTurn,
  beginTurnBeyond,
  end,
  onRun,
  type Rule,
  type Rules,
  rearm,
  startRound,
  withdrawQuestion,
} from "./Rule.ts";
import { isOutOfTurns, type Run, type World } from "./World.ts";
import { isToBeTold, tell } from "./wrap-up-rules.ts";

const HELD: Run["status"][] = ["awaiting_confirmation"];
const UNDER_WAY: Run["status"][] = ["running", "synthesis_due"];

/** What a person's reply does: about a turn that is held, or about one under way whose time is up. */
export const REPLY_RULES: Rules = {
  ContinuationWithMore: allows((allowance) => typeof allowance === "number"),
  ContinuationUnlimited: allows((allowance) => allowance === "unlimited"),
  RoundStartsOver: onRun("UserConfirmsContinuation", [...HELD, ...UNDER_WAY], {
    requires: isAsked,
    ensures: (run, world) => {
      for (const budget of Object.values(world.budgets)) {
        if (budget.terms?.onExhausted !== "ask" || !isOut(budget)) continue;
        startOver(budget);
        if (budget.name === run.question?.limit) budget.allowance = run.allowance;
      }
      const turnsHold = run.status === "awaiting_confirmation" && !run.retryDue && isOutOfTurns(world);
      if (turnsHold) startRound(world);
      else rearm(world);
    },
  }),
  ContinuationConfirmed: onRun("ContinuationReleased", HELD, {
    requires: (run, world) => !run.retryDue && !world.wrapUpRequested,
    ensures: beginHeldTurn,
  }),
  ContinuationWrapsUp: onRun("ContinuationReleased", HELD, {
    requires: (run, world) => !run.retryDue && world.wrapUpRequested,
    ensures: beginHeldTurn,
  }),
  RetryConfirmed: onRun("ContinuationReleased", HELD, {
    requires: (run) => run.retryDue,
    ensures: (run, world) => {
      withdrawQuestion(world);
      beginAgain(run);
    },
  }),
  TimeGoesOn: onRun("ContinuationReleased", UNDER_WAY, {
    requires: isAsked,
    ensures: (_run, world) => withdrawQuestion(world),
  }),

  HeldTurnWrapsUp: onRun("UserWrapsUp", HELD, {
    ensures: (run, world) => {
      withdrawQuestion(world);
      if (isOut(world.budgets.time)) startOver(world.budgets.time);
      tell(run, world);
      if (run.retryDue) beginAgain(run);
      else beginTurnBeyond(run, world);
    },
  }),
  TimeQuestionWrapsUp: onRun("UserWrapsUp", UNDER_WAY, {
    requires: isAsked,
    ensures: (_run, world) => Object.assign(world, { wrapUpSent: false, wrapUpRequested: true }),
  }),
  ContinuationDeclined: onRun("UserDeclinesContinuation", HELD, { ensures: decline }),
  TimeQuestionDeclined: onRun("UserDeclinesContinuation", UNDER_WAY, { requires: isAsked, ensures: decline }),
};

function isAsked(run: Run): boolean {
  return run.question !== null;
}

/** A person goes on with another maximum of the limit that was asked about. */
function allows(requires: (allowance: Max | undefined) => boolean): Rule {
  return onRun("UserAllows", [...HELD, ...UNDER_WAY], {
    requires: (run, _world, { allowance }) => isAsked(run) && requires(allowance),
    ensures: (run, _world, { allowance = null }) => {
      run.allowance = allowance;
    },
  });
}

function beginHeldTurn(run: Run, world: World): void {
  if (run.question?.limit === "turns") world.turnAllowance = run.allowance;
  withdrawQuestion(world);
  if (isToBeTold(world)) tell(run, world);
  if (isOutOfTurns(world)) beginTurnBeyond(run, world);
  else beginTurn(run, world);
}

function decline(run: Run, world: World): void {
  world.declined = true;
  end(run, "declining", run.question ?? undefined);
}
