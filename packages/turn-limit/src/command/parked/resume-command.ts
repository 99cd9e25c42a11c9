import type { Reply } from "../../core/governor/decision.ts";
import type { Store } from "../../pools/ledger/store.ts";
import type { Parked } from "../../pools/listing/parked-runs.ts";
import { parseArguments } from "../arguments.ts";
import { CommandError, cannotBeDone, wrongInput } from "../command-error.ts";
import { makeChange } from "../pools/changes.ts";
import { withStore } from "../pools/output.ts";
import { readReply } from "../question-and-reply.ts";
import { readNotifyOptions } from "../run/notifying.ts";
import { storeAddress } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import {
  BY_RESUMING,
  findParked,
  freeIfLeft,
  holdsItself,
  notHere,
  resumedElsewhere,
} from "./find-parked.ts";
import { resumeAlone } from "./resume-alone.ts";
import { watchAnswers } from "./resume-answered.ts";
import { aloneUntilOver, runAgain, untilOver } from "./run-again.ts";

export const RESUME_HELP = `Usage: turn-limit resume ID [REPLY] [--store STORE] [-- ARGS]
       turn-limit resume --watch [--notify PLACE] [--store STORE]

Goes on with a run that was parked because nobody answered its question
(turn-limit run --unanswered park): the agent is started again in its session
and its folder, held to the same limits, on what is left of them and what REPLY
allows.

  REPLY          yes (default), unlimited, wrap-up, or how much more, such as 10
                 or '$2'. Not needed if the question was answered before, by
                 "turn-limit pools answer" or on the page. Without it, a run
                 that waits for its limit to start over goes on waiting
  -- ARGS        further arguments of the agent
  --question ID  for programs: go on only while this is its question
  --watch        go on with each run that was parked on this machine, as soon as
                 somebody answers it with a yes, wherever that is, or the limit that
                 it waits for starts over. Ctrl+C ends it
  --notify PLACE with --watch: ask about the parked runs there, too, as
                 "turn-limit run --notify" does (default: TURN_LIMIT_NOTIFY). May
                 be given several times
  --store STORE  a file, or a redis:// or rediss:// address (default:
                 TURN_LIMIT_STORE, else Pi's: turn-limit.sqlite in
                 PI_CODING_AGENT_DIR, else in ~/.pi/agent)
  --help         print this

"turn-limit parked" lists the runs that are parked. The exit code is that of
turn-limit run.
`;

const OPTIONS = { store: "value", watch: "flag", notify: "values", question: "value" } as const;
const WATCH = "turn-limit resume --watch";
const FORM = "turn-limit resume ID [REPLY]";

/** `turn-limit resume`: starts the agent of a parked run again, in its session. */
export async function resumeCommand(args: readonly string[], around: Surroundings): Promise<number> {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const more = end < 0 ? [] : args.slice(end + 1);
  const { words, options } = parseArguments(own, OPTIONS);
  const [id, reply, surplus] = words;
  const address = storeAddress(options.store, around.env);
  if (options.watch) {
    const [surplus] = [...words, ...more];
    if (surplus !== undefined)
      throw wrongInput(`${JSON.stringify(surplus)} is one word too many. Use ${WATCH}.`);
    const notify = readNotifyOptions({ places: options.notify, on: undefined, asks: true }, around.env);
    await watchAnswers(address, notify, around);
    return 0;
  }
  if (options.notify) throw wrongInput(`--notify is for --watch. Use ${WATCH} --notify PLACE.`);
  if (id === undefined) throw wrongInput(`ID is missing. Use ${FORM}.`);
  if (surplus !== undefined)
    throw wrongInput(`${JSON.stringify(surplus)} is one word too many. Use ${FORM}.`);
  let code = 0;
  await withStore(address, around, undefined, async (store) => {
    const parked = await findParked(store, id);
    requireHere(parked);
    requireQuestion(parked, options.question);
    await freeIfLeft(store, parked);
    const said = await replyTo(store, parked, reply);
    const folder = parked.run.folder ?? process.cwd();
    if (holdsItself(parked)) {
      const resume = (one: Parked, reply: Reply | undefined) =>
        resumeAlone(store, one, reply, more, { folder, env: around.env, stderr: around.stderr });
      code = await aloneUntilOver(store, parked, said, resume, address, around);
      return;
    }
    code = await untilOver(await runAgain(store, parked, said, more, address, around), address, around);
  });
  return code;
}

// What was said to an earlier question of the run says nothing of a later one: the run has gone on since.
function requireQuestion({ id, question }: Parked, wanted: string | undefined): void {
  if (wanted !== undefined && question?.id !== wanted) throw resumedElsewhere(id);
}

function requireHere(parked: Parked): void {
  const why = notHere(parked);
  if (why !== undefined) throw cannotBeDone(why);
}

/**
 * The reply that counts: the first one. Where there is none yet, it is given now, and remembered. What waits for its limit to
 * start over needs none.
 */
async function replyTo(store: Store, parked: Parked, typed: string | undefined): Promise<Reply | undefined> {
  const { id, record, name, question } = parked;
  if (question?.waits && typed === undefined && question.reply === undefined) return undefined;
  if (!question) return typed === undefined ? true : readReply(typed, { limit: "turns" });
  const wanted = typed === undefined ? true : readReply(typed, question);
  if (wanted === false)
    throw wrongInput(`A no resumes nothing. To remove it, use turn-limit parked forget ${id}.`);
  let first = question.reply;
  if (first === undefined) {
    const answer = { kind: "answer", question: question.id, reply: wanted } as const;
    try {
      await makeChange(store, record, answer, { where: BY_RESUMING, to: name });
      return wanted;
    } catch (error) {
      first = (await store.read(record))?.state.questions[question.id]?.reply;
      // Somebody else resumes it as well, or has answered meanwhile.
      if (first === undefined || !(error instanceof CommandError)) throw error;
    }
  }
  if (first === false)
    throw cannotBeDone(`${id} was answered with no. To remove it, use turn-limit parked forget ${id}.`);
  if (typed !== undefined && JSON.stringify(first) !== JSON.stringify(wanted))
    throw cannotBeDone(`${id} has been answered already. Use turn-limit resume ${id}, without a reply.`);
  return first;
}
