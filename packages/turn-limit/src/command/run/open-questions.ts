import type { Pool } from "../../pools/pool.ts";
import { shownAddress, storeAddress } from "../stores.ts";
import { byCommand } from "./asking/by-command.ts";
import { onTerminal } from "./asking/on-terminal.ts";
import { type Asker, Questions } from "./asking/questions.ts";
import type { Budgets } from "./budgets.ts";
import type { Notices } from "./notices.ts";
import type { RunOptions } from "./options.ts";

/** How a person is asked, if one is to be. */
export function openQuestions(
  options: RunOptions,
  budgets: Budgets,
  notices: Notices,
): Questions | undefined {
  const { profile, atLimit } = options;
  if (!profile || atLimit !== "ask") return undefined;
  return new Questions(askersOf(options, budgets, notices), notices);
}

/** Says how questions are answered, before the agent takes the screen. */
export function tellWhereToReply({ launcher, args, ask, store }: RunOptions, notices: Notices): void {
  if (ask === undefined && !launcher.isHeadless(args))
    notices.announce(`questions of this run are answered in another terminal: ${poolsCommand(store)}`);
}

// On its terminal, if the agent leaves that free, and by the command. Without either, in the pools.
function askersOf(options: RunOptions, budgets: Budgets, notices: Notices): Asker[] {
  const { ask, launcher, args, store } = options;
  const elsewhere = inPool(budgets.poolForQuestions, () => {
    // The agent draws on the screen, so the notice could not be read, and it is useless after the run.
    if (!notices.areHeld)
      notices.announce(`A question is open. Answer it in another terminal: ${poolsCommand(store)}`);
  });
  const askers =
    ask === undefined ? [] : [byCommand(ask, { agent: launcher.name, cwd: process.cwd() }, notices)];
  const otherwise = ask === undefined ? elsewhere : undefined;
  if (launcher.isHeadless(args)) askers.push(onTerminal(otherwise));
  else if (otherwise) askers.push(otherwise);
  return askers;
}

/** Asks in a pool: `turn-limit pools` shows the question. `opened` is called once it is there. */
function inPool(open: () => Promise<Pool>, opened: () => void): Asker {
  return async (question, signal, run) => {
    const pool = await open();
    // A store that cannot be used is no place to answer at.
    await pool.read();
    opened();
    return pool.ask(question, signal, run);
  };
}

function poolsCommand(store: string): string {
  const isDefault = store === storeAddress(undefined, {});
  return `npx turn-limit pools${isDefault ? "" : ` --store ${shownAddress(store)}`}`;
}
