import type { Store } from "../../pools/ledger/store.ts";
import { parseArguments } from "../arguments.ts";
import { cannotBeDone, unknownWord, wrongInput } from "../command-error.ts";
import { shownAddress, storeAddress, storeOption } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { answeredBefore, CHANGERS, type Changer, makeChange, nameOf, untilRead } from "./changes.ts";
import { deletedText, deletePool } from "./delete-pool.ts";
import { line } from "./lines.ts";
import { print, printJson, widthFor, withStore } from "./output.ts";
import { type PoolView, readPool, readPools, readRuns } from "./pool-view.ts";
import { poolDetails, poolsOverview } from "./pools-table.ts";
import { showLive } from "./show-live.ts";

export const POOLS_HELP = `Usage: turn-limit pools [ACTION] [--store STORE] [--json]

Shows the pools, which are budgets that agents share: what is used, who draws on
them, and which questions are open; and the runs that work now. On a terminal
the table is live: up and down choose a question, y and n answer it, q ends.

  (no action)               show all pools
  show ID                   show one pool with all its members
  extend ID LIMIT AMOUNT    allow more: cost '$5', turns 10, requests 50,
                            tokens 2m, time 30m, steps 50, tools.bash 20,
                            'plan per 5h' 10%, or unlimited
  freeze ID [WHY]           let all its agents stop before their next turn
  unfreeze ID               let them go on
  stop ID [WHY]             let a run end before its next turn
  reset ID                  start over with nothing used and nothing added
  delete ID                 remove it, with all its days, weeks or months; of a
                            date only that one
  answer ID QUESTION REPLY  reply to a question: yes, no, unlimited, wrap-up, or
                            how much more, such as '$2'

ID is the name of a pool; of a run its name, its id, or how that begins. A pool
with a period has a record for each day, week or month, such as
research@2026-11-16; without a date the newest is meant.

  --store STORE  a file, or a redis:// or rediss:// address (default:
                 TURN_LIMIT_STORE, else Pi's: turn-limit.sqlite in
                 PI_CODING_AGENT_DIR, else in ~/.pi/agent)
  --once         print the table once, also on a terminal
  --all          show the records of earlier days, weeks and months too, and
                 those of prompts of Pi that have ended
  --json         print JSON: cost in US dollars, time in milliseconds
  --help         print this
`;

const DELETE = "delete";

const OPTIONS = { store: "value", once: "flag", all: "flag", json: "flag" } as const;

/** `turn-limit pools`: shows the pools of a store, and changes them. */
export async function poolsCommand(args: readonly string[], around: Surroundings): Promise<undefined> {
  const { words, options } = parseArguments(args, OPTIONS);
  const { json = false, all = false, once = false } = options;
  const [action, id, ...rest] = words;
  requireWords(action, id, rest);
  const address = storeAddress(options.store, around.env);
  const place = shownAddress(address);

  const showNone = () => {
    const none = line(`There are no pools yet. They will be in ${place}, once an agent draws from one.`);
    return json ? printJson({ store: place, pools: [], runs: [] }, around) : print([none], around);
  };

  await withStore(address, around, action === undefined ? showNone : undefined, async (store) => {
    if (action === undefined) {
      const { stdout, env } = around;
      if (stdout.isTTY && env.TERM !== "dumb" && !once && !json) return showLive(store, place, all, around);
      const [pools, runs] = await Promise.all([readPools(store, all), readRuns(store)]);
      return json
        ? printJson({ store: place, pools, runs }, around)
        : print(poolsOverview(pools, runs, widthFor(around)), around);
    }
    if (action === DELETE) {
      const deleted = await deletePool(store, id as string);
      return json ? printJson({ deleted }, around) : print([line(deletedText(deleted))], around);
    }
    let pool = await readPool(store, id as string);
    const changer = CHANGERS[action];
    if (changer) {
      const { change, done, asker } = await readChange(changer, rest, pool, store, storeOption(address));
      await makeChange(store, pool.record, change, { to: asker ?? nameOf(pool) });
      if (change.kind === "answer" && asker !== undefined)
        await untilRead(store, pool.record, change.question, asker);
      if (!json) return print([line(done)], around);
      pool = await readPool(store, pool.record);
    }
    return json ? printJson(pool, around) : print(poolDetails(pool, widthFor(around)), around);
  });
}

/** What is to be changed. Whoever answers a question that is gone is told who was first. */
async function readChange(
  changer: Changer,
  words: readonly string[],
  pool: PoolView,
  store: Store,
  inStore: string,
) {
  try {
    return changer.read(words, pool, inStore);
  } catch (error) {
    const late =
      changer === CHANGERS.answer ? await answeredBefore(store, pool.record, words[0] ?? "") : undefined;
    throw late === undefined ? error : cannotBeDone(late);
  }
}

/** Checks how many words there are, before a store is opened. */
function requireWords(action: string | undefined, id: string | undefined, rest: readonly string[]): void {
  if (action === undefined) return;
  const changer = Object.hasOwn(CHANGERS, action) ? CHANGERS[action] : undefined;
  if (!changer && action !== "show" && action !== DELETE)
    throw unknownWord(action, "an action", ["show", ...Object.keys(CHANGERS), DELETE]);
  const required = ["ID", ...(changer?.required ?? [])];
  const text = changer?.text;
  const form = ["turn-limit pools", action, ...required, ...(text === undefined ? [] : [`[${text}]`])].join(
    " ",
  );
  const given = id === undefined ? [] : [id, ...rest];
  const missing = required[given.length];
  if (missing !== undefined) throw wrongInput(`${missing} is missing. Use ${form}.`);
  const surplus = given[required.length];
  if (surplus !== undefined && text === undefined)
    throw wrongInput(`${JSON.stringify(surplus)} is one word too many. Use ${form}.`);
}
