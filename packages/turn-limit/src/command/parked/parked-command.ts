import { type Parked, parkedRuns, takeParked } from "../../pools/listing/parked-runs.ts";
import { replyText } from "../../pools/listing/words.ts";
import { parseArguments } from "../arguments.ts";
import { unknownWord, wrongInput } from "../command-error.ts";
import { type Line, line, type Row, table } from "../pools/lines.ts";
import { print, printJson, widthFor, withStore } from "../pools/output.ts";
import { knownAmounts } from "../pools/pool-view.ts";
import { questionText } from "../question-and-reply.ts";
import { shownAddress, storeAddress, storeOption } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { findParked, freeIfLeft, isResumed, resumedElsewhere } from "./find-parked.ts";

export const PARKED_HELP = `Usage: turn-limit parked [forget ID] [--store STORE] [--json]

Lists the runs that are parked because nobody answered their question in time
(turn-limit run --unanswered park). Go on with one by "turn-limit resume ID".
Each is kept for 30 days.

  (no action)    list them
  forget ID      remove one. The session of the agent stays

  --store STORE  a file, or a redis:// or rediss:// address (default:
                 TURN_LIMIT_STORE, else Pi's: turn-limit.sqlite in
                 PI_CODING_AGENT_DIR, else in ~/.pi/agent)
  --json         print JSON: cost in US dollars, time in milliseconds
  --help         print this
`;

const OPTIONS = { store: "value", json: "flag" } as const;
const FORGET = "forget";

/** `turn-limit parked`: lists the parked runs of a store, and forgets one. */
export async function parkedCommand(args: readonly string[], around: Surroundings): Promise<undefined> {
  const { words, options } = parseArguments(args, OPTIONS);
  const [action, id, surplus] = words;
  if (action !== undefined && action !== FORGET) throw unknownWord(action, "an action", [FORGET]);
  if (action === FORGET && id === undefined)
    throw wrongInput("ID is missing. Use turn-limit parked forget ID.");
  if (surplus !== undefined)
    throw wrongInput(`${JSON.stringify(surplus)} is one word too many. Use turn-limit parked forget ID.`);
  const { json = false } = options;
  const address = storeAddress(options.store, around.env);
  const show = (all: readonly Parked[]) =>
    json
      ? printJson({ store: shownAddress(address), parked: all.map(parkedView) }, around)
      : print(parkedTable(all, widthFor(around), storeOption(address)), around);
  await withStore(address, around, id === undefined ? () => show([]) : undefined, async (store) => {
    if (id === undefined) return show(await parkedRuns(store));
    const parked = await findParked(store, id);
    await freeIfLeft(store, parked);
    const taken = await takeParked(store, parked);
    if (!taken) throw resumedElsewhere(parked.id);
    await taken.remove();
    if (json) return printJson({ forgotten: parked.id }, around);
    print([line(`${parked.id} is no longer parked. The session of ${parked.run.agent} stays.`)], around);
  });
}

/** A parked run as `--json` prints it. Every field is always there. */
function parkedView(one: Parked) {
  const { id, name, run, parked, question, until } = one;
  return {
    id,
    name,
    agent: run.agent,
    folder: run.folder ?? null,
    host: run.host ?? null,
    session: parked.session,
    at: new Date(run.active).toISOString(),
    /** When it is forgotten. */
    until: new Date(until).toISOString(),
    /** What it asks. `reply`: the answer that counts, or `null`. */
    question: question
      ? {
          id: question.id,
          limit: question.limit,
          identity: question.identity ?? null,
          used: question.used,
          max: question.max,
          why: question.why ?? null,
          waits: question.waits ?? null,
          reply: question.reply ?? null,
          where: question.replied?.where ?? null,
        }
      : null,
    /** Does a process go on with it at the moment? */
    resumed: isResumed(one),
    /** The process that does, or did last. */
    pid: one.holder?.process?.pid ?? null,
    limits: run.limits,
    /** `null`: that is not known. */
    used: knownAmounts(run),
  };
}

function parkedTable(all: readonly Parked[], width: number, store: string): Line[] {
  if (all.length === 0) return [line("No run is parked.", "dim")];
  const rows = all.map((one): Row => {
    const { id, name, run, question } = one;
    const asked = isResumed(one) ? "It goes on." : question ? askedText(question) : "";
    return { cells: [name, id, whenText(run.active), asked] };
  });
  return [
    ...table(["RUN", "ID", "PARKED", "QUESTION"], rows, width),
    [],
    line(`Go on with one: npx turn-limit resume ID${store}`, "dim"),
  ];
}

function askedText(question: NonNullable<Parked["question"]>): string {
  const { identity, reply } = question;
  const text = identity ? questionText({ ...question, identity }) : question.limit;
  return reply === undefined ? text : `${text} Answered: ${replyText(reply, question)}.`;
}

// In the time of whoever reads it.
function whenText(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace("T", " ");
}
