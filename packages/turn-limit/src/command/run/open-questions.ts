import { storeOption } from "../stores.ts";
import { byCommand } from "./asking/by-command.ts";
import { onTerminal } from "./asking/on-terminal.ts";
import { type Asker, Questions } from "./asking/questions.ts";
import { hasTerminal } from "./asking/terminal.ts";
import type { Budgets } from "./budgets.ts";
import type { Notices } from "./notices.ts";
import type { RunOptions } from "./options.ts";

/** How a person is asked, if one is to be. */
export function openQuestions(
  options: RunOptions,
  budgets: Budgets,
  notices: Notices,
): Questions | undefined {
  const { profile, atLimit, ask, isAskWanted } = options;
  if (!profile || atLimit !== "ask") return undefined;
  // Who starts an agent without a terminal is not there to be asked, unless it is said how.
  if (ask === undefined && !isAskWanted && !hasTerminal()) return undefined;
  return new Questions(askersOf(options, budgets, notices), notices);
}

/** Says how questions are answered, before the agent takes the screen. */
export function tellWhereToReply({ isHeadless, ask, store }: RunOptions, notices: Notices): void {
  if (ask === undefined && !isHeadless)
    notices.announce(`questions of this run are answered in another terminal: ${poolsCommand(store)}`);
}

// By the command that was given, and on the terminal, if the agent leaves that free. Without either, in the pools.
function askersOf(
  { ask, launcher, isHeadless, store }: RunOptions,
  budgets: Budgets,
  notices: Notices,
): Asker[] {
  if (ask !== undefined) {
    const byCommandGiven = byCommand(ask, { agent: launcher.name, cwd: process.cwd() }, notices);
    return isHeadless ? [byCommandGiven, onTerminal()] : [byCommandGiven];
  }
  const inPool: Asker = async (question, signal, run) => {
    const pool = await budgets.poolForQuestions();
    // A store that cannot be used is no place to answer at.
    await pool.read();
    // While the agent draws on the screen the notice could not be read, and it is useless after the run.
    if (!notices.areHeld)
      notices.announce(`A question is open. Answer it in another terminal: ${poolsCommand(store)}`);
    return pool.ask(question, signal, run);
  };
  return [isHeadless ? onTerminal(inPool) : inPool];
}

function poolsCommand(store: string): string {
  return `npx turn-limit pools${storeOption(store)}`;
}
