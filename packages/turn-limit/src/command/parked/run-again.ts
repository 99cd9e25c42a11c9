import type { Reply } from "../../core/governor/decision.ts";
import { isReached } from "../../core/limits/boundary.ts";
import { waitingText } from "../../core/words.ts";
import { LAUNCHERS } from "../../launch/launch.ts";
import { personsFiles } from "../../launch/launcher.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { type Parked, parkedRuns } from "../../pools/listing/parked-runs.ts";
import { measureOf } from "../../pools/listing/typed-replies.ts";
import { pause } from "../../run/pause.ts";
import { cannotBeDone } from "../command-error.ts";
import { withStore } from "../pools/output.ts";
import { openBudgets } from "../run/budgets.ts";
import { Notices } from "../run/notices.ts";
import { type RunOptions, readRunOptions } from "../run/options.ts";
import { type EndedRun, runAgent } from "../run/run-agent.ts";
import { PARKED_EXIT_CODE } from "../run/summary.ts";
import { storeOption } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { holdsItself, isResumed } from "./find-parked.ts";
import { GoesOnFrom } from "./goes-on-from.ts";

/** What the agent is told. */
export const GO_ON = {
  allowed: "A person has allowed more. Go on with the work where you stopped.",
  startedOver: "The limit has started over. Go on with the work where you stopped.",
} as const;

/** How often to check whether a limit has started over, in milliseconds. */
const LOOK_EVERY = 1_000;

/** Starts the agent of a parked run again, in its session. `reply`: to its question, if somebody replied. */
export async function runAgain(
  store: Store,
  parked: Parked,
  reply: Reply | undefined,
  more: readonly string[],
  address: string,
  around: Surroundings,
): Promise<EndedRun> {
  const said = reply === undefined ? GO_ON.startedOver : GO_ON.allowed;
  const { options, files } = optionsOf(parked, lineOf(parked, more, said), address, around);
  return runAgent(options, files, around, new GoesOnFrom(store, parked, reply));
}

/**
 * A run that is parked until its limit starts over goes on by itself then, as often as that happens. Resolves with the exit
 * code. A signal ends the wait, and leaves the run parked.
 */
export async function untilOver(run: EndedRun, address: string, around: Surroundings): Promise<number> {
  let ended = run;
  while (ended.waiting) {
    const { id, resume, question } = ended.waiting;
    const next = await withInterrupt(async (signal) => {
      const tell = new Notices(around.stderr);
      tell.announce(`${waitingText(question)} Ctrl+C leaves it parked. To go on then: ${resume}`);
      let goneOn: EndedRun | undefined;
      await withStore(address, around, undefined, async (store) => {
        const parked = await untilItMayGoOn(store, id, address, around, signal);
        if (parked) goneOn = await runAgain(store, parked, parked.question?.reply, [], address, around);
      });
      return goneOn;
    });
    if (!next) {
      around.stderr.write(`${ended.report}\n`);
      return ended.exitCode;
    }
    ended = next;
  }
  return ended.exitCode;
}

/**
 * Goes on by `resume` with a run of Pi, also each time that it is parked until its limit starts over. Resolves with the exit
 * code.
 */
export async function aloneUntilOver(
  store: Store,
  parked: Parked,
  said: Reply | undefined,
  resume: (parked: Parked, reply: Reply | undefined) => Promise<number>,
  address: string,
  around: Surroundings,
): Promise<number> {
  let [next, reply] = [parked, said];
  for (;;) {
    if (next.question?.waits && reply === undefined) {
      const { id, question } = next;
      const command = `npx turn-limit resume ${id}${storeOption(address)}`;
      if (!(await isOver(next, store)))
        new Notices(around.stderr).announce(
          `${waitingText({ identity: UNKNOWN, ...question })} Ctrl+C leaves it parked. To go on then: ${command}`,
        );
      const over = await withInterrupt((signal) => untilItMayGoOn(store, id, address, around, signal));
      if (!over) return PARKED_EXIT_CODE;
      [next, reply] = [over, over.question?.reply];
    }
    const code = await resume(next, reply);
    // One that could not go on is not tried again and again.
    if (code !== PARKED_EXIT_CODE) return code;
    const again = (await parkedRuns(store)).find(({ id }) => id === parked.id);
    if (!again?.question?.waits) return code;
    [next, reply] = [again, again.question.reply];
  }
}

/** Of a question that an earlier version asks. */
const UNKNOWN = { kind: "custom" } as const;

/** The parked run, once its limit has started over or somebody allowed more. `undefined`: it does not go on here. */
async function untilItMayGoOn(
  store: Store,
  id: string,
  address: string,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Parked | undefined> {
  for (; !signal.aborted; await pause(LOOK_EVERY, signal)) {
    const parked = (await parkedRuns(store).catch(() => undefined))?.find((one) => one.id === id);
    // A store that cannot be used for a while is no reason to end.
    const isThere = parked ?? (await isUnreadable(store));
    if (!isThere) return undefined;
    if (!parked) continue;
    const { reply } = parked.question ?? {};
    if (reply === false || isResumed(parked)) return undefined;
    const mayGoOn = holdsItself(parked) ? isOver(parked, store) : hasRoom(parked, address, around);
    if (reply !== undefined || (await mayGoOn.catch(() => false))) return parked;
  }
  return undefined;
}

async function isUnreadable(store: Store): Promise<boolean> {
  return store.now().then(
    () => false,
    () => true,
  );
}

// What it draws from, its own extension knows.
async function isOver({ question }: Parked, store: Store): Promise<boolean> {
  const { until } = question?.waits ?? {};
  return until !== undefined && until <= (await store.now());
}

// As the run itself would find it: in the pools of its options.
async function hasRoom(parked: Parked, address: string, around: Surroundings): Promise<boolean> {
  const { question } = parked;
  if (!question) return true;
  const { options } = optionsOf(parked, lineOf(parked, [], GO_ON.startedOver), address, around);
  const budgets = await openBudgets(options, around, new Notices({ write: () => undefined }));
  try {
    const pool = budgets.pools.find(({ sharedLimits }) =>
      sharedLimits.some(({ name }) => name === question.limit),
    );
    const found = (await pool?.read())?.limits.find(
      ({ limit }) => limit === question.limit || limit === measureOf(question),
    );
    return found !== undefined && !isReached(found.used, found.max);
  } finally {
    await budgets.close();
  }
}

async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await work(interrupted.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

function optionsOf(
  { run, parked }: Parked,
  line: readonly string[],
  address: string,
  around: Surroundings,
): { options: RunOptions; files: ReturnType<typeof personsFiles> } {
  const files = personsFiles(run.folder ?? process.cwd());
  const typed = [...parked.options, "--store", address, "--", ...line];
  return { options: readRunOptions(typed, around.env, files), files };
}

/** The command line that goes on with it. */
export function lineOf({ run, parked }: Parked, more: readonly string[], said: string): string[] {
  const { program, args, session, isHeadless } = parked;
  const sessions = LAUNCHERS.find(({ name }) => name === run.agent)?.sessions;
  if (!sessions) throw cannotBeDone(`How sessions of ${run.agent} are resumed is not known here.`);
  return [...program, ...sessions.resumed(session, [...args, ...more], said, isHeadless)];
}
