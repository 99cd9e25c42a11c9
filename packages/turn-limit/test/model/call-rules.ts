import { actionOf, allowedOf, decisive, outOf, type Reached, uncovering } from "./limits.ts";
import {
  ANY,
  always,
  and,
  arises,
  type Condition,
  define,
  does,
  happens,
  hasEvidence,
  mustEnd,
  mustEndWithoutAnswer,
  not,
  on,
  or,
  type Scene,
  to,
  WORKING,
} from "./rule.ts";
import type { Run, World } from "./world.ts";

const RUNNING: Run["status"][] = ["running"];

const isCovered: Condition = (scene) => against(scene).length === 0;
const isWarning: Condition = ({ reached }) => reached.isWarning === true;
const mayAnswer: Condition = and(({ canGoOn }) => canGoOn, hasEvidence);
const isHastened: Condition = ({ run, canGoOn }) => run.status === "synthesis_due" && canGoOn;
const mustGiveUp: Condition = ({ run, canGoOn }) => run.endedBy?.limit === "time" && !canGoOn;
const stopsTheCall = or(does("stop"), and(does("synthesize"), not(hasEvidence)));
const stopsTheTurn = or(does("stop"), and(does("synthesize"), not(mayAnswer)));

// May a tool call be made, and what becomes of it?
define({
  StepTaken: on("ToolCallRequested", RUNNING, isCovered, to("CallBegins")),
  BoundaryBeforeCall: on("ToolCallRequested", RUNNING, not(isCovered), (scene) => {
    const { world, run, call } = scene;
    const all = against(scene);
    run.intervened = true;
    for (const { budget, boundary, isWarning } of all) {
      budget.exceeded = !isWarning;
      if (budget.name !== "repeats") continue;
      budget.row.refused(call.key);
      Object.assign(budget, { inRow: boundary.used, telling: true });
    }
    happens(world, "CallUncovered", { reached: decisive(all) as Reached });
  }),
  RepeatRefused: on("CallUncovered", RUNNING, isWarning, remember),
  CallOnlyRefused: on("CallUncovered", RUNNING, and(does("refuse"), not(isWarning)), remember),
  CallRefused: on("CallUncovered", RUNNING, does("ask"), remember),
  CallDeclineStands: on("CallUncovered", RUNNING, does("decline"), mustEnd("declined")),
  CallStops: on("CallUncovered", RUNNING, stopsTheCall, mustEnd("stopped")),
  CallRaises: on("CallUncovered", RUNNING, does("raise"), mustEnd("stopped", true)),
  CallSynthesizes: on("CallUncovered", RUNNING, and(does("synthesize"), hasEvidence), makeLastTurnDue),
  StepRefusedAfterExhaustion: on("ToolCallRequested", ["synthesis_due", "synthesizing"], always, intervene),
  StepRefusedBetweenTurns: on("ToolCallRequested", ["asking", "ending"], always, intervene),
  CallCounts: on("CallBegins", RUNNING, always, ({ world, call: { id, tool, key } }) => {
    const { repeats } = world.budgets;
    happens(world, "WorkAdmitted", { what: "steps", covered: true });
    world.count({ steps: 1, ...(tool === "read" && { reads: 1 }), ...(tool === "write" && { writes: 1 }) });
    repeats.telling = repeats.told = false;
    if (allowedOf(repeats) !== "unlimited") repeats.row.began(id, key);
  }),
  CallReturns: on("ToolCallEnded", ANY, always, ({ world: { budgets }, id, result }) => {
    if (allowedOf(budgets.repeats) !== "unlimited") budgets.repeats.row.ended(id, result);
  }),
  LostAnswerLeavesTheRow: on("AnswerLost", ANY, always, ({ world: { budgets } }) => {
    budgets.repeats.telling = false;
    budgets.repeats.row.answerLost();
  }),
});

// The time is up in the middle of a turn.
define({
  TimeUpAsks: overdue(RUNNING, does("ask"), arises),
  TimeUpDeclineStands: overdue(WORKING, and(does("decline"), not(isHastened)), mustEnd("declined")),
  TimeUpStops: overdue(RUNNING, stopsTheTurn, mustEnd("stopped")),
  TimeUpRaises: overdue(RUNNING, does("raise"), mustEnd("stopped", true)),
  TimeUpSynthesizes: overdue(RUNNING, and(does("synthesize"), mayAnswer), makeLastTurnDue),
  TimeUpHastensSynthesis: overdue(["synthesis_due"], isHastened, intervene),
  TimeUpEndsSynthesis: overdue(
    ["synthesis_due", "synthesizing"],
    and(not(does("decline")), not(isHastened)),
    mustEnd("stopped"),
  ),
  TimeUpGivesUpSynthesis: on("TimeChecked", ["synthesis_due"], mustGiveUp, mustEndWithoutAnswer),
});

/** Milliseconds until the time is up in the middle of a turn, and that is news. */
export function timeLeft({ run, budgets: { time } }: World): number | undefined {
  const max = allowedOf(time);
  const isTimed = run && WORKING.includes(run.status) && !run.question && !run.waiting;
  const isKnown = run?.status === "synthesis_due" && run.endedBy?.limit === "time";
  // Without any time there is a boundary before every turn, and nothing to watch for in between.
  if (!isTimed || isKnown || max === "unlimited" || max === 0) return undefined;
  return Math.max(0, max - time.totals.time);
}

function overdue(statuses: Run["status"][], requires: Condition, ensures: (scene: Scene) => unknown) {
  const isUp: Condition = (scene) => timeLeft(scene.world) === 0 && requires(withTime(scene));
  return on("TimeChecked", statuses, isUp, (scene) => ensures(withTime(scene)));
}

function withTime(scene: Scene): Scene {
  const { time } = scene.world.budgets;
  const boundary = outOf(time) as Reached["boundary"];
  return { ...scene, reached: { budget: time, boundary, action: actionOf(time, scene.world) } };
}

function against({ world, call }: Scene): Reached[] {
  return uncovering(world, call.tool, call.key);
}

/** The call was refused, and nothing more. */
function remember({ run, reached }: Scene): void {
  run.refused = reached;
}

function makeLastTurnDue({ run, reached: { boundary } }: Scene): void {
  Object.assign(run, { status: "synthesis_due", endedBy: boundary, intervened: true });
}

function intervene({ run }: Scene): void {
  run.intervened = true;
}
