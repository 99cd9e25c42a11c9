import type { Store } from "../../pools/ledger/store.ts";
import { parseArguments } from "../arguments.ts";
import { unknownWord, wrongInput } from "../command-error.ts";
import { MissingStore, shownAddress, storeAddress, storeProblem } from "../stores.ts";
import { hasColours, type Surroundings } from "../surroundings.ts";
import { CHANGERS, makeChange, untilRead } from "./changes.ts";
import { deletedText, deletePool } from "./delete-pool.ts";
import { fitted, type Line, line, written } from "./lines.ts";
import { readPool, readPools } from "./pool-view.ts";
import { poolDetails, poolsOverview } from "./pools-table.ts";
import { showLive } from "./show-live.ts";

export const POOLS_HELP = `Usage: turn-limit pools [ACTION] [--store STORE] [--json]

Shows the pools, which are budgets that agents share: what is used, who draws on
them, and which questions are open. On a terminal the table is live: up and down
choose a question, y and n answer it, q ends.

  (no action)               show all pools
  show ID                   show one pool with all its members
  extend ID LIMIT AMOUNT    allow more: cost '$5', turns 10, requests 50,
                            tokens 2m, time 30m, steps 50, tools.bash 20, or
                            unlimited
  freeze ID [WHY]           let all its agents stop before their next turn
  unfreeze ID               let them go on
  reset ID                  start over with nothing used and nothing added
  delete ID                 remove it, with all its days, weeks or months; of a
                            date only that one
  answer ID QUESTION REPLY  reply to a question: yes, no, unlimited, wrap-up, or
                            how much more, such as '$2'

ID is the name of a pool. One with a period has a record for each day, week or
month, such as research@2026-11-16; without a date the newest is meant.

  --store STORE  a file, or a redis:// or rediss:// address (default:
                 TURN_LIMIT_STORE, else Pi's: turn-limit.sqlite in
                 PI_CODING_AGENT_DIR, else in ~/.pi/agent)
  --once         print the table once, also on a terminal
  --all          show the records of earlier days, weeks and months too
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
    return json ? printJson({ store: place, pools: [] }, around) : print([none], around);
  };

  await withStore(address, around, action === undefined ? showNone : undefined, async (store) => {
    if (action === undefined) {
      const { stdout, env } = around;
      if (stdout.isTTY && env.TERM !== "dumb" && !once && !json) return showLive(store, place, all, around);
      const pools = await readPools(store, all);
      return json
        ? printJson({ store: place, pools }, around)
        : print(poolsOverview(pools, widthFor(around)), around);
    }
    if (action === DELETE) {
      const deleted = await deletePool(store, id as string);
      return json ? printJson({ deleted }, around) : print([line(deletedText(deleted))], around);
    }
    let pool = await readPool(store, id as string);
    const changer = CHANGERS[action];
    if (changer) {
      const { change, done, asker } = changer.read(rest, pool);
      await makeChange(store, pool.record, change);
      if (change.kind === "answer" && asker !== undefined)
        await untilRead(store, pool.record, change.question, asker);
      if (!json) return print([line(done)], around);
      pool = await readPool(store, pool.record);
    }
    return json ? printJson(pool, around) : print(poolDetails(pool, widthFor(around)), around);
  });
}

/** Checks how many words there are, before a store is opened. */
function requireWords(action: string | undefined, id: string | undefined, rest: readonly string[]): void {
  if (action === undefined) return;
  const changer = Object.hasOwn(CHANGERS, action) ? CHANGERS[action] : undefined;
  if (!changer && action !== "show" && action !== DELETE)
    throw unknownWord(action, "an action", ["show", ...Object.keys(CHANGERS), DELETE]);
  const required = ["ID", ...(changer?.required ?? [])];
  const optional = changer?.optional ?? [];
  const form = ["turn-limit pools", action, ...required, ...optional.map((word) => `[${word}]`)].join(" ");
  const given = id === undefined ? [] : [id, ...rest];
  const missing = required[given.length];
  if (missing !== undefined) throw wrongInput(`${missing} is missing. Use ${form}.`);
  const surplus = given[required.length + optional.length];
  if (surplus !== undefined)
    throw wrongInput(`${JSON.stringify(surplus)} is one word too many. Use ${form}.`);
}

/** Opens the store, and closes it afterwards. `missing`: what is done instead where there is no store. */
async function withStore(
  address: string,
  around: Surroundings,
  missing: (() => void) | undefined,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  let store: Store | undefined;
  try {
    store = await around.openStore(address);
    await work(store);
  } catch (error) {
    if (missing && error instanceof MissingStore) return missing();
    throw storeProblem(address, error);
  } finally {
    await store?.close();
  }
}

function widthFor({ stdout }: Surroundings): number {
  return stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY;
}

function print(lines: readonly Line[], around: Surroundings): void {
  const colours = hasColours(around);
  const width = widthFor(around);
  around.stdout.write(lines.map((spans) => `${written(fitted(spans, width), colours)}\n`).join(""));
}

// JSON leaves some characters as they are on which terminals act.
const CONTROLS = /[\u007f-\u009f]/g;

function printJson(value: unknown, { stdout }: Surroundings): void {
  const escaped = (character: string) => `\\u00${character.charCodeAt(0).toString(16)}`;
  stdout.write(`${JSON.stringify(value, null, 2).replace(CONTROLS, escaped)}\n`);
}
