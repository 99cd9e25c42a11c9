import type { AgentDialog } from "../../gateway/requests/agent-dialog.ts";
import type { Notifier } from "../../notify/notifier.ts";
import { untilAborted } from "../../run/until-aborted.ts";
import { storeOption } from "../stores.ts";
import { byCommand } from "./asking/by-command.ts";
import { onTerminal } from "./asking/on-terminal.ts";
import { type Asker, type AskingPlace, Questions } from "./asking/questions.ts";
import { hasTerminal } from "./asking/terminal.ts";
import type { Budgets } from "./budgets.ts";
import type { Notices } from "./notices.ts";
import type { RunOptions } from "./options.ts";

/** How a person is asked, if one is to be. */
export function openQuestions(
  options: RunOptions,
  budgets: Budgets,
  notices: Notices,
  folder: string,
  notifier: Notifier | undefined,
  dialog: AgentDialog | undefined,
): Questions | undefined {
  const { profile, atLimit, ask, isAskWanted, unanswered } = options;
  if (!profile || atLimit !== "ask") return undefined;
  const notified = notifier?.places.map((place) => ({ ...place, isElsewhere: true })) ?? [];
  const inAgent = dialog ? [{ where: `in ${profile.name}`, ask: dialog.ask }] : [];
  if (ask !== undefined || isAskWanted || hasTerminal())
    return new Questions([...inAgent, ...askersOf(options, budgets, notices, folder), ...notified], notices);
  // Without a terminal nobody is there to answer, unless an option says how to ask.
  if (notifier?.canReply || unanswered === "park") return new Questions(notified, notices);
  return undefined;
}

/** Says how questions are answered, before the agent takes the screen. */
export function tellWhereToReply(
  { isHeadless, ask, asksInDialog, launcher, store }: RunOptions,
  notices: Notices,
): void {
  if (ask !== undefined || isHeadless) return;
  const where = asksInDialog ? `asked in ${launcher.name}, and also answered` : "answered";
  notices.announce(`questions of this run are ${where} in another terminal: ${poolsCommand(store)}`);
}

// By the command that was given, and on the terminal, if the agent leaves that free. Without either, only elsewhere.
function askersOf(
  { ask, launcher, isHeadless, isListed, store }: RunOptions,
  budgets: Budgets,
  notices: Notices,
  folder: string,
): AskingPlace[] {
  if (ask !== undefined) {
    const agent = { agent: launcher.name, cwd: folder };
    const byCommandGiven = { where: `by ${ask}`, ask: byCommand(ask, agent, notices) };
    return isHeadless ? [byCommandGiven, { where: TERMINAL, ask: onTerminal() }] : [byCommandGiven];
  }
  const elsewhere: Asker = async (question, signal, run) => {
    // A store that cannot be used is no place to answer at.
    const pool = isListed ? undefined : await budgets.poolForQuestions();
    await (pool ? pool.read() : (await budgets.openStore()).now());
    // While the agent draws on the screen the notice could not be read, and it is useless after the run.
    if (!notices.areHeld)
      notices.announce(`A question is open. Answer it in another terminal: ${poolsCommand(store)}`);
    // A run that is listed asks in the store by itself.
    return pool
      ? pool.ask(question, signal, run)
      : untilAborted(signal, new Promise(() => {}), () => undefined);
  };
  return [{ where: TERMINAL, ask: isHeadless ? onTerminal(elsewhere) : elsewhere }];
}

const TERMINAL = "in the terminal";

function poolsCommand(store: string): string {
  return `npx turn-limit pools${storeOption(store)}`;
}
