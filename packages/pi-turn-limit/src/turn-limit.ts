/**
 * turn-limit for Pi: a live `Turns: 12/25` counter, and a question before the turn that a limit does not cover. It
 * limits turns, steps, tokens, cost, time, single tools and repeats, and can tell the model to wrap up before a limit
 * is reached.
 *
 * Use: `pi -e packages/pi-turn-limit`, or `pi install npm:pi-turn-limit`.
 * Set: `/limits`, `/turn-limit 50`, `/cost-limit $5`, flags, environment variables, or `turn-limit.json`.
 */
import { dirname } from "node:path";
import type { ExtensionAPI, ExtensionContext, SessionStartEvent } from "@earendil-works/pi-coding-agent";
import type { Max } from "turn-limit";
import { isLoadedFor, isSubAgent, type Load, newLoad } from "./agents/session-place.ts";
import { registerDashboardCommand } from "./commands/dashboard-command.ts";
import { registerFamilyCommand } from "./commands/family-command.ts";
import { registerLimitCommand } from "./commands/limit-command.ts";
import { registerLimitsPanelCommand, registerWrapUpCommand } from "./commands/session-commands.ts";
import { registerTellCommand } from "./commands/tell-command.ts";
import { DEFAULT_MAX_TURNS, isPercentile, isReached } from "./core.ts";
import { forgetReported, reportProblems, say } from "./display/say.ts";
import { registerSummaryLine } from "./display/summary-line.ts";
import { registerToldMessage } from "./display/told-message.ts";
import { limitOf } from "./limits/limit-of.ts";
import { isFamily } from "./limits/pi-limit.ts";
import { limitTable } from "./limits/pi-limits.ts";
import { hearPerson } from "./person/hear-person.ts";
import { Person } from "./person/person.ts";
import { createWhoPrompted, textOf } from "./person/who-prompted.ts";
import { knowsEveryTool } from "./pi-process.ts";
import { blockTurn, hasEnded } from "./session/block-turn.ts";
import { GovernedSession } from "./session/governed-session.ts";
import { isOurs, LAST_TURN, WRAP_UP } from "./session/instructions.ts";
import { answerOtherCopies, type Copy, copiesBefore, standBy, usedInstead } from "./session/other-copy.ts";
import { parksUnanswered, UNANSWERED } from "./session/print-parking.ts";
import { parseLimit, textInputs } from "./settings/limit-text.ts";
import { LimitsInForce } from "./settings/limits-in-force.ts";
import { projectSettingsFile, sessionsFolder, userSettingsFile } from "./settings/pi-folders.ts";
import { valueAt } from "./settings/settings.ts";
import { readConfiguration } from "./settings/sources.ts";

export { DEFAULT_MAX_TURNS };

/** What the environment says, else the default. */
export function getMaxTurns(): Max {
  const limit = limitOf({ limit: "turns", identity: { kind: "turns" } });
  const settings = parseLimit(limit, process.env[limit.env ?? ""] ?? "") ?? {};
  const max = valueAt(settings, ["turns", "max"]);
  return isPercentile(max) ? DEFAULT_MAX_TURNS : ((max as Max | undefined) ?? DEFAULT_MAX_TURNS);
}

/** Is this the boundary: have `used` turns used up what `max` admits? */
export function checkTurnLimit(used: number, max: Max): boolean {
  return isReached(used, max);
}

/** The folder of this package: the file is in `dist`, or in `src`. */
const FOLDER = dirname(dirname(import.meta.filename));

export default function turnLimit(pi: ExtensionAPI): void {
  const copies = copiesBefore(pi);
  const other = usedInstead(copies, FOLDER);
  const load = copies[0]?.load ?? newLoad();
  isLoadedFor(load);
  if (other) standBy(pi, other, FOLDER, () => holdSessions(pi, load, other.flag));
  else {
    registerFlags(pi);
    holdSessions(pi, load, (name) => pi.getFlag(name));
  }
}

function registerFlags(pi: ExtensionAPI): void {
  pi.registerFlag(UNANSWERED.flag, {
    type: "string",
    description: "What is done in print mode, where nobody can be asked: stop (default), or park",
  });
  for (const { flag, name, allowed } of textInputs()) {
    pi.registerFlag(flag, { type: "string", description: `The ${name}: ${allowed}` });
  }
}

/** Registers everything but the flags. Returns what happens when a session starts. */
function holdSessions(
  pi: ExtensionAPI,
  load: Load,
  flag: Copy["flag"],
): (event: SessionStartEvent, ctx: ExtensionContext) => void {
  const who = createWhoPrompted();
  const person = new Person();
  const limits = new LimitsInForce(pi, async () => {
    const { readPastRuns } = await import("./stats/past-runs.ts");
    return readPastRuns(sessionsFolder());
  });
  let session: GovernedSession | undefined;
  let stopHearing = () => {};

  const tools = () => ({ names: pi.getAllTools().map(({ name }) => name), isEvery: knowsEveryTool() });

  for (const row of limitTable) {
    if (isFamily(row)) registerFamilyCommand(pi, row, limits, tools, () => session);
    else if (row.command) registerLimitCommand(pi, row.command, row, limits, () => session);
  }
  registerLimitsPanelCommand(pi, limits, tools, person, () => session);
  registerDashboardCommand(pi, FOLDER);
  registerSummaryLine(pi);
  registerToldMessage(pi, WRAP_UP, "The agent was told to wrap up");
  registerToldMessage(pi, LAST_TURN, "The agent was told to answer without tools");
  registerWrapUpCommand(pi, () => session);
  registerTellCommand(pi, limits, () => session);
  answerOtherCopies(pi, { folder: FOLDER, load, flag, serves: (one) => session?.isOf(one) ?? false });
  pi.events.on("turn-limit:grace", (grace) => limits.offerGrace(grace));
  pi.events.on("turn-limit:waiting", (waiting) => {
    person.announced(waiting);
    session?.personIsAwaited(person.isAwaited);
  });
  pi.on("ui_prompt_start", () => {
    person.dialogOpened();
    session?.personIsAwaited(person.isAwaited);
  });
  pi.on("ui_prompt_end", () => {
    person.dialogClosed();
    session?.personIsAwaited(person.isAwaited);
  });

  const start = ({ reason }: SessionStartEvent, ctx: ExtensionContext) => {
    const configuration = readConfiguration({
      flag,
      userFile: userSettingsFile(),
      projectFile: ctx.isProjectTrusted() ? projectSettingsFile(ctx.cwd) : undefined,
    });
    const parking = parksUnanswered(flag(UNANSWERED.flag));
    session = new GovernedSession(pi, ctx, load, reason, person, configuration, parking.isWanted);
    // Pi may say twice that a session starts.
    stopHearing();
    stopHearing = hearPerson(pi, ctx, person);
    const problems = limits.configure(session, ctx, configuration, { isSubAgent: isSubAgent(ctx) });
    if (reason !== "startup") session.moved();
    if (reason === "reload") forgetReported();
    reportProblems(ctx, parking.problem === undefined ? problems : [...problems, parking.problem]);
  };
  pi.on("session_start", start);
  pi.on("session_shutdown", ({ reason }) => {
    stopHearing();
    return session?.shutDown(reason);
  });
  pi.on("session_tree", (event, ctx) => {
    session?.compactions.summarized(event.summaryEntry?.usage);
    // The command has done what it is for. What another extension makes of that is its own doing.
    person.passed();
    limits.goTo(ctx, event);
    session?.moved();
  });

  pi.on("input", (event, ctx) => {
    const isExtensions = event.source === "extension";
    const acted = isExtensions && person.takeAct();
    if (!isExtensions) person.prompted(event.streamingBehavior !== undefined);
    if (isExtensions && !acted && session?.refuses()) return { action: "handled" };
    who.onInput(event, ctx.hasPendingMessages(), acted);
    return undefined;
  });
  pi.on("before_agent_start", (event) => {
    session?.taskIs(event.prompt);
    if (!who.isPersonsPrompt(event)) return;
    // The agent has it, so nobody makes something else of what the person said.
    person.passed();
    session?.prompted();
  });
  // By now every extension has had the time to register its tools.
  pi.on("agent_start", (_event, ctx) => {
    if (isSubAgent(ctx)) return;
    reportProblems(ctx, limits.ofUnknownTools(tools));
  });
  pi.on("message_start", ({ message }) => {
    if (message.role === "user" && who.isPersonsFollowUp(textOf(message))) session?.prompted();
    if (message.role === "custom" && !isOurs(message)) person.messageCame();
    // The agent works on, so what another extension sends from now on is not because of what the person did before.
    if (message.role === "assistant") person.passed();
  });

  // The last moment before the request: every message of the turn has been delivered, so it is known
  // by now whether a person began it.
  pi.on("context", async (event, ctx) => {
    if (session?.turns.isClosed || hasEnded(ctx)) return blockTurn(ctx);
    try {
      // Read when it is first needed: it must not slow Pi's start.
      if (limits.isChoiceOpen) for (const chosen of await limits.chooseOpen()) say(ctx, chosen);
      if (person.beginsTurn()) session?.prompted();
      session?.compactions.workBegins();
      return await session?.turns.before(event);
    } catch (error) {
      // Pi tells what went wrong, and would send the turn without our limits.
      await blockTurn(ctx);
      throw error;
    }
  });
  // The self-check: what is really sent and executed is counted a second time, by events that know nothing of what was
  // admitted.
  pi.on("before_provider_request", () => session?.sent());
  pi.on("after_provider_response", ({ headers }) => session?.turns.plan.came(headers));
  pi.on("model_select", ({ model }) => session?.modelSelected(model.provider));
  pi.on("cache_warming_decision", (event) => session?.turns.cacheRefreshComes(event));
  pi.on("user_bash", () => session?.commandBegins());
  pi.on("tool_call", (event) => session?.calls.before(event));
  pi.on("tool_result", (event) => session?.calls.executed(event));
  pi.on("tool_execution_end", ({ toolCallId, result }) => {
    person.passed();
    session?.calls.ended(toolCallId, result);
  });

  // The answer, and not `turn_end`: a handler there makes Pi rebuild the whole transcript for every turn.
  pi.on("message_end", async ({ message }, ctx) => {
    if (message.role === "toolResult") await session?.resultArrived(message);
    if (message.role !== "assistant") return undefined;
    const explained = session?.answered(message, ctx.hasPendingMessages() && who.steeringWaits());
    return explained && { message: explained };
  });
  pi.on("session_before_compact", async ({ reason, willRetry }) => {
    // A person may have asked for it.
    if (reason === "manual") return undefined;
    const isPaidForNothing = await session?.compactions.isInVain(willRetry, who.personsPromptComes());
    return isPaidForNothing ? { cancel: true } : undefined;
  });
  pi.on("session_compact", ({ compactionEntry, reason, willRetry }, ctx) => {
    // Pi finds the entry of its event by its text, which an earlier summary may have, too.
    const made = ctx.sessionManager.getBranch().findLast(({ type }) => type === "compaction");
    const { usage } = made?.type === "compaction" ? made : compactionEntry;
    session?.compactions.summarized(usage, reason === "manual");
    if (willRetry) session?.turns.discarded();
  });
  pi.on("agent_settled", (_event, ctx) => {
    if (!ctx.hasPendingMessages()) who.forgetQueue();
    return session?.settled();
  });
  return start;
}
