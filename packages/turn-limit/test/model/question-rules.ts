import type { Boundary, Reply } from "../../src/index.ts";
import { actionOf, barring, decisive, endsRun, isFull, isGroup, outOf, type Terms } from "./limits.ts";
import { ANY, always, and, type Condition, define, happens, not, OPEN, on, type Scene, to } from "./rule.ts";
import type { Run, World } from "./world.ts";

const ASKED: Run["status"][] = ["running", "synthesis_due", "asking"];

const isAsked: Condition = ({ run }) => run.question !== null;
const isAboutAnother: Condition = ({ run, reached }) => run.question?.budget !== reached.budget.name;
const isRetryDue: Condition = ({ world }) => world.retryDue;
/** Is it about a turn that goes on, and not about one that is held? */
const isMidway: Condition = ({ run, ask }) => run.status !== "asking" || ask?.midTurn === true;
const isOpen: Condition = ({ run, ask }) => run?.question != null && (!ask || ask.id === run.question.id);
/** Does a limit stand before the held turn by now that nobody is asked about? No reply but a no changes that. */
const isOvertaken: Condition = (scene) =>
  scene.reply !== false && !isMidway(scene) && barring(scene.world).some(endsRun);
const isHeeded = and(isOpen, not(isOvertaken));
const saysHowMuch = and(isHeeded, ({ reply }) => typeof reply === "object");
/** Is whoever waits from this run, and is a turn held for it? */
const isHeld: Condition = ({ run, ask }) => (ask ? ask.id > run.earlierQuestions && !ask.midTurn : run.held);
const stillStands: Condition = ({ world, run }) => toBeAsked(world, run) !== undefined;

const wasBounded: Condition = ({ budget }) => hasMax(budget.terms);
const isBounded: Condition = ({ limit }) => hasMax(limit);
const isSame: Condition = ({ budget, limit }) => JSON.stringify(budget.terms) === JSON.stringify(limit);
const hasSameMax: Condition = ({ budget: { terms }, limit }) =>
  terms?.max === limit?.max && terms?.writes === limit?.writes;

// The question, and who waits for it.
define({
  QuestionAsked: on("QuestionArises", ASKED, not(isAsked), ask),
  QuestionReplaced: on("QuestionArises", ASKED, and(isAsked, isAboutAnother), ask),
  QuestionDropped: on("QuestionDrops", ASKED, isAsked, ({ run }) => close(run)),
  LateReplyDecidesNothing: on("ReplyGiven", ANY, not(isOpen), to("WaitEnded")),
  WaiterDecidedAnew: on("WaitEnded", OPEN, isHeld, to("TurnRequested")),
});

// The reply.
define({
  ReplyOvertaken: on("ReplyGiven", ["asking"], and(isOpen, isOvertaken), to("TurnRequested")),
  ContinuationWithTheSame: on("ReplyGiven", ASKED, says(true), goOn),
  ContinuationWithMore: on("ReplyGiven", ASKED, saysHowMuch, goOn),
  ContinuationUnlimited: on("ReplyGiven", ASKED, says("unlimited"), goOn),
  ContinuationDeclined: on("ReplyGiven", ASKED, says(false), ({ world, run: { question } }) => {
    world.declined = true;
    if (question) happens(world, "RunMustEnd", { boundary: question, outcome: "declined", raises: false });
  }),
  HeldTurnWrapsUp: on("ReplyGiven", ["asking"], and(says("wrap-up"), not(isMidway)), ({ world, run }) => {
    const { time } = world.budgets;
    close(run);
    run.wrapUpTold = true;
    Object.assign(world, { wrapUpSent: true, wrapUpRequested: false });
    if (outOf(time)) happens(world, "RoundBegins", { budget: time });
    if (world.retryDue) happens(world, "TurnBeginsAgain");
    else happens(world, "TurnBegins", { covered: false });
  }),
  TimeQuestionWrapsUp: on("ReplyGiven", ASKED, and(says("wrap-up"), isMidway), ({ world, ask }) => {
    world.wrapUpRequested = true;
    happens(world, "RunGoesOn", { grant: null, ask });
  }),
  RoundStartsOver: on("RunGoesOn", ASKED, always, ({ world, run, grant, ask }) => {
    const isNewTurnHeld = run.status === "asking" && !world.retryDue;
    const asked = run.question && world.budgets[run.question.budget];
    world.wrapUpSent = run.wrapUpTold = false;
    for (const budget of Object.values(world.budgets)) {
      const isRenewed = budget.terms?.onExhausted === "ask" && isFull(budget);
      if (isRenewed && (isNewTurnHeld || budget.name !== "turns")) happens(world, "RoundBegins", { budget });
    }
    if (asked && grant !== null) asked.grant = grant;
    happens(world, "ContinuationReleased", { ask });
  }),
  ContinuationConfirmed: on("ContinuationReleased", ASKED, and(not(isMidway), not(isRetryDue)), (scene) => {
    close(scene.run);
    happens(scene.world, "TurnBegins", { covered: !isFull(scene.world.budgets.turns) });
  }),
  RetryConfirmed: on("ContinuationReleased", ASKED, and(not(isMidway), isRetryDue), ({ world, run }) => {
    close(run);
    happens(world, "TurnBeginsAgain");
  }),
  TimeGoesOn: on("ContinuationReleased", ASKED, isMidway, ({ run }) => close(run)),
});

// Changing limits: what is the same has no effect.
define({
  SettingsCompared: on("Configured", ANY, always, ({ world, settings }) => {
    const { canAsk, budgets, fired } = world;
    const before = fired.length;
    for (const budget of Object.values(budgets))
      happens(world, "LimitConfigured", { budget, limit: settings.limits[budget.name] });
    const differs = fired.slice(before).some((rule) => rule !== "SameSettingsChangeNothing");
    happens(world, "GraceConfigured", { settings });
    happens(world, "TellConfigured", { settings });
    happens(world, "AskingConfigured", { settings });
    if (differs) happens(world, "LimitsDiffer");
    if (differs || canAsk !== settings.canAsk) happens(world, "LimitsChange");
  }),
  SameSettingsChangeNothing: on("LimitConfigured", ANY, isSame, () => {}),
  LimitChanged: on("LimitConfigured", ANY, and(wasBounded, isBounded, not(hasSameMax)), (scene) => {
    scene.budget.grant = null;
    changeTerms(scene);
  }),
  LimitReEnabled: on("LimitConfigured", ANY, and(not(wasBounded), isBounded), ({ world, budget, limit }) => {
    budget.terms = limit;
    happens(world, "RoundBegins", { budget });
  }),
  LimitRemoved: on("LimitConfigured", ANY, and(wasBounded, not(isBounded)), ({ world, budget, limit }) => {
    Object.assign(budget, { terms: limit, grant: null, exceeded: false });
    happens(world, "LimitAdmitsMore", { budget });
  }),
  PolicyChanged: on("LimitConfigured", ANY, and(not(isSame), hasSameMax), changeTerms),
  GraceChanged: on("GraceConfigured", ANY, always, ({ world, settings }) => {
    world.grace = settings.grace;
  }),
  TellChanged: on("TellConfigured", ANY, always, ({ world, settings }) => {
    world.tell = settings.tell;
  }),
  CanAskChanged: on("AskingConfigured", ANY, always, ({ world, settings }) => {
    world.canAsk = settings.canAsk;
  }),
  ChangeTakesBackANo: on("LimitsDiffer", ANY, always, ({ world }) => {
    world.declined = false;
  }),
  QuestionStands: on("LimitsChange", ASKED, stillStands, ({ world, run }) => {
    Object.assign(run.question ?? {}, toBeAsked(world, run));
  }),
  QuestionOvertaken: on("LimitsChange", ASKED, and(isAsked, not(stillStands)), to("QuestionDrops")),
});

function ask({ world, run, reached: { budget, boundary } }: Scene): void {
  world.questions += 1;
  run.intervened = true;
  run.question = { ...boundary, id: world.questions, budget: budget.name };
}

function close(run: Run): void {
  run.question = null;
  if (run.status === "asking") run.status = "running";
}

function says(word: Reply): Condition {
  return and(isHeeded, ({ reply }) => reply === word);
}

/** The run goes on, with another maximum for a round if the person says so. */
function goOn({ world, run, reply, ask }: Scene): void {
  const asked = run.question && world.budgets[run.question.budget];
  let grant = typeof reply === "object" ? reply.more : reply === "unlimited" ? reply : null;
  if (typeof grant === "number" && asked?.name === "cost") grant *= 10;
  // How much of several things is not said by one number.
  if (typeof grant === "number" && asked && isGroup(asked)) grant = null;
  happens(world, "RunGoesOn", { grant, ask });
}

function hasMax(terms: Terms | null): boolean {
  return terms !== null && terms.max !== "unlimited";
}

/** A limit of one's own may measure something else now, so that it is no longer full. */
function changeTerms({ world, budget, limit }: Scene): void {
  budget.terms = limit;
  budget.exceeded &&= isFull(budget);
  happens(world, "LimitAdmitsMore", { budget });
}

/** Where the limit stands that the question is about, if it is still the one to ask about. */
function toBeAsked(world: World, { status, question }: Run): Boundary | undefined {
  const { time } = world.budgets;
  const midway = outOf(time);
  const timeUp = midway && { budget: time, boundary: midway, action: actionOf(time, world) };
  const reached = status === "asking" ? decisive(barring(world)) : timeUp;
  return reached?.action === "ask" && reached.budget.name === question?.budget ? reached.boundary : undefined;
}
