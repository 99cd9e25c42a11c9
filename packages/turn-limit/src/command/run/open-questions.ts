import { shownAddress, storeAddress } from "../store-address.ts";
import { byCommand } from "./asking/by-command.ts";
import { inPool } from "./asking/in-pool.ts";
import { onTerminal } from "./asking/on-terminal.ts";
import { Questions } from "./asking/questions.ts";
import type { Way } from "./asking/way.ts";
import type { Notices } from "./notices.ts";
import type { Budgets } from "./open-budgets.ts";
import type { RunOptions } from "./options.ts";

/** How a person is asked, if one is to be. `ring` is called when there is a question. */
export function openQuestions(
  options: RunOptions,
  budgets: Budgets,
  notices: Notices,
  ring: () => void,
): Questions | undefined {
  const { profile, atLimit } = options;
  if (!profile || atLimit !== "ask") return undefined;
  return new Questions(waysToAsk(options, budgets, notices), {
    opened: ring,
    failed: (error) =>
      notices.tell(`Nobody could be asked: ${error instanceof Error ? error.message : error}`),
  });
}

/** Says how questions are answered, before the agent takes the screen. */
export function tellWhereToReply({ launcher, args, ask, store }: RunOptions, notices: Notices): void {
  if (ask === undefined && !launcher.isHeadless(args))
    notices.announce(`questions of this run are answered in another terminal: ${poolsCommand(store)}`);
}

// On its terminal, if it is free for that, and by the command. Where there is neither, whoever watches the pools is asked.
function waysToAsk(options: RunOptions, budgets: Budgets, notices: Notices): Way[] {
  const { ask, launcher, args, store } = options;
  const elsewhere = inPool(budgets.poolForQuestions, () => {
    // On a screen that the agent draws on it could not be read, and at the end nobody asks any more.
    if (!notices.areHeld)
      notices.announce(`A question is open. Answer it in another terminal: ${poolsCommand(store)}`);
  });
  const ways =
    ask === undefined ? [] : [byCommand(ask, { agent: launcher.name, cwd: process.cwd() }, notices)];
  const otherwise = ask === undefined ? elsewhere : undefined;
  if (launcher.isHeadless(args)) ways.push(onTerminal(otherwise));
  else if (otherwise) ways.push(otherwise);
  return ways;
}

function poolsCommand(store: string): string {
  const isDefault = store === storeAddress(undefined, {});
  return `npx turn-limit pools${isDefault ? "" : ` --store ${shownAddress(store)}`}`;
}
