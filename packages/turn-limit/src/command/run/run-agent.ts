import type { Ask } from "../../core/governor/decision.ts";
import type { LimitIdentity } from "../../core/limits/boundary.ts";
import { wasExtendedText } from "../../core/words.ts";
import { createGateway, type RunGateway } from "../../gateway/gateway.ts";
import { PROVIDERS } from "../../gateway/providers.ts";
import { AgentDialog } from "../../gateway/requests/agent-dialog.ts";
import type { PersonsFiles } from "../../launch/launcher.ts";
import { type Launch, openLaunch } from "../../launch/open-launch.ts";
import { withoutNotifications } from "../../notify/variables.ts";
import { watchRun } from "../../notify/watch-run.ts";
import { listIn } from "../../pools/listing/list-in.ts";
import { changedFiles, progressByCommand } from "../../progress/index.ts";
import type { GoesOnFrom } from "../parked/goes-on-from.ts";
import { howToExtend, howToPrice, loadPrice } from "../pooled-limits.ts";
import { storeOption } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { requireWayThroughGateway, runName, startOf } from "./agent.ts";
import { dialogWords } from "./asking/dialog-words.ts";
import { openBudgets } from "./budgets.ts";
import { withChosenLimits } from "./chosen-limits.ts";
import { Notices } from "./notices.ts";
import { openNotifications } from "./notifying.ts";
import { openQuestions, tellWhereToReply } from "./open-questions.ts";
import type { RunOptions } from "./options.ts";
import { Parker } from "./parker.ts";
import { rememberRun } from "./past-runs.ts";
import { openRunDashboard } from "./run-dashboard.ts";
import { requireProgram, startAgent } from "./start-agent.ts";
import { runExitCode, runReport, summaryLine } from "./summary.ts";

/** A run that has ended, or that is parked until a limit starts over. */
export interface EndedRun {
  readonly exitCode: number;
  /** What is said of how it ended, where that was not said yet because it goes on by itself. */
  readonly report: string;
  /** How it is parked, and the limit that it waits for. */
  readonly waiting: { readonly id: string; readonly resume: string; readonly question: Ask } | undefined;
}

/** Starts an agent behind a gateway, and holds it to limits. `from`: the run that this one goes on from. */
export async function runAgent(
  given: RunOptions,
  files: PersonsFiles,
  around: Surroundings,
  from?: GoesOnFrom,
): Promise<EndedRun> {
  const { profile, isHeadless, launcher } = given;
  requireWayThroughGateway(given, around.env, files);
  const hasScreen = profile !== undefined && !isHeadless && around.stderr.isTTY === true;
  const notices = new Notices(around.stderr, hasScreen);
  const options = await withChosenLimits(given, around, (message) => notices.announce(message));
  const budgets = await openBudgets(options, around, notices);
  const parker = new Parker(options, files.folder, from?.id);
  const name = runName(options, files);
  const notifier = await openNotifications(options, around, { name, folder: files.folder }, notices);
  // An open dialog keeps the agent waiting, also after a reply on the phone.
  const dialog = options.asksInDialog
    ? new AgentDialog(dialogWords, { isLast: notifier?.canReply === true })
    : undefined;
  const questions = openQuestions(options, budgets, notices, files.folder, notifier, dialog);
  const listed = options.isListed
    ? listIn(budgets.openStore, {
        ...{ agent: launcher.name, name, folder: files.folder },
        where: () => (from?.repliedLast ? undefined : (questions?.where ?? "by turn-limit run")),
      })
    : undefined;
  let gateway: RunGateway | undefined;
  let launch: Launch | undefined;
  let dashboard: Awaited<ReturnType<typeof openRunDashboard>>;
  try {
    const { settings, pools, outside, maxima } = budgets;
    const price = await loadPrice(maxima, options.price);
    gateway = await createGateway({
      ...settings,
      finalTool: options.finalTool,
      pool: pools,
      outside,
      dialog,
      ask: from ? from.replyFirst(questions?.ask) : questions?.ask,
      park:
        options.unanswered === "park" || options.parksWaiting
          ? async (run) =>
              run.question.waits || options.unanswered === "park"
                ? parker.park(await budgets.openStore(), run)
                : undefined
          : undefined,
      session: options.session,
      from: from?.state,
      isReplied: from && ((question) => from.hasReplyTo(question)),
      beforeSending: from && ((state) => from.save(state, (message) => notices.tell(message))),
      listed,
      price,
      profile,
      progress: progressOf(options, files.folder, around),
      observe: {
        ...(notifier &&
          options.notify &&
          watchRun(notifier, options.notify.on, () => gateway?.run.standings ?? [])),
        extended: (boundary, what) => notices.note(wasExtendedText(boundary, what)),
      },
      hold: options.hold,
      howToRaise: ({ limit, identity: { kind, pool } }) => {
        // What a person did to this run from elsewhere says itself who did it.
        if (kind === "stop" || (kind === "freeze" && pool === undefined)) return undefined;
        return options.pool === undefined && kind !== "freeze" && kind !== "store"
          ? howToRaise(options, kind)
          : howToExtend(limit, pools, storeOption(options.store));
      },
      howToPrice,
      env: around.env,
      onWarning: (message) => notices.tell(message),
      onNotice: (message) => void (questions ?? notices).note(message),
    });
    gateway.run.member.name = name;
    parker.name = name;
    if (questions) tellWhereToReply(options, notices);
    const { origin } = new URL(gateway.addresses.to(PROVIDERS.anthropic.base));
    launch = await openLaunch({
      addresses: gateway.addresses,
      env: { ...withoutNotifications(around.env), ...budgets.forInnerRuns(origin) },
      files,
      routes: options.routes,
      asksInDialog: options.asksInDialog,
      onRefused: (reason) => notices.tell(reason),
    });
    requireProgram(options.line, around.env);
    dashboard = await openRunDashboard(options, budgets.openStore, around, notices);
    const line = await startOf(options, launch);
    await from?.take();
    // What is typed is for the questions.
    const takesKeys = isHeadless && options.launcher.takesKeys === true && process.stdin.isTTY;
    const ended = await startAgent(line, files.folder, !takesKeys);
    const summary = await gateway.close();
    gateway = undefined;
    const { parked } = parker;
    // Nothing was sent, so the agent did not find its session, or could not work.
    if (from && summary.sent > 0) from.isOver = true;
    if (options.isListed && !parked) await rememberRun(budgets.openStore, launcher.name, summary, ended);
    // A question that disappears from the terminal must not take the summary with it.
    await questions?.closed();
    notices.release();
    const text = summaryLine(summary, ended, profile?.name, parked);
    const report = options.json
      ? JSON.stringify(runReport(summary, ended, profile?.name, parked))
      : `turn-limit: ${text}`;
    const question = parker.waitsFor;
    const waiting = parked && question && { ...parked, question };
    if (!waiting) around.stderr.write(`${report}\n`);
    if (options.notify?.on.end && !waiting) notifier?.tell("end", `The run: ${text}.`);
    await notifier?.done();
    return { exitCode: runExitCode(summary, ended, parked), report, waiting };
  } finally {
    notices.release();
    launch?.close();
    await gateway?.close();
    await questions?.closed();
    notifier?.close();
    await from?.leave((message) => notices.announce(message));
    await dashboard?.close();
    await budgets.close();
  }
}

/** What tells whether the run makes progress, if a limit may be extended. */
function progressOf({ limits, progress }: RunOptions, folder: string, { env }: Surroundings) {
  if (!limits.some(({ extend }) => extend !== undefined)) return undefined;
  return progress === undefined
    ? changedFiles({ folder })
    : progressByCommand(progress, { folder, env: withoutNotifications(env) });
}

/** What the person is told who reads that a limit of this kind ended the run. */
function howToRaise({ limits, plan, repeats }: RunOptions, kind: LimitIdentity["kind"]): string {
  const given = [
    ...new Set(limits.map(({ measure }) => measure)),
    ...(plan.length > 0 ? [PLAN] : []),
    ...(repeats === undefined ? [] : [REPEATS]),
  ];
  const reached = given.filter((name) => name === kind);
  const options = (reached.length > 0 ? reached : given).map((name) => `--max-${name}`);
  return `To allow more, raise ${options.join(" or ")} of turn-limit run.`;
}

const PLAN = "plan";
const REPEATS = "repeats";
