import { UNPRICED } from "../../core/limits/kinds.ts";
import { counted, DURATION } from "../../core/text/amounts.ts";
import { PROFILES } from "../../launch/launch.ts";
import type { PersonsFiles } from "../../launch/launcher.ts";
import { LONGEST_TIMER } from "../../run/clock.ts";
import { oneOfWords, parseArguments, readRoutes } from "../arguments.ts";
import { wrongInput } from "../command-error.ts";
import { PRICES_HELP, readPrices } from "../given-prices.ts";
import { UNPRICED_BY_DEFAULT } from "../pooled-limits.ts";
import { storeAddress } from "../stores.ts";
import {
  limitOptions,
  limitsHelp,
  optionFor,
  RUN_MEASURES,
  type WantedLimit,
  wantedLimits,
} from "../wanted-limits.ts";
import { chosenAgent, requireProfileFor } from "./agent.ts";
import { LIMIT_EXIT_CODE } from "./summary.ts";

const OPTIONS = {
  ...limitOptions(RUN_MEASURES),
  pool: "value",
  store: "value",
  "at-limit": "value",
  nobody: "value",
  "wrap-up": "value",
  unpriced: "value",
  price: "values",
  ask: "value",
  hold: "value",
  profile: "value",
  route: "values",
  json: "flag",
} as const;

const AT_LIMIT = ["ask", "stop", "answer"] as const;
const NOBODY = ["stop", "answer"] as const;

const FORM = "turn-limit run [OPTIONS] -- COMMAND [ARGS]";

const TESTED = PROFILES.map(
  ({ name, id, tested }) => `    ${name} ${tested.join(", ")} (--profile ${id})`,
).join("\n");

const LIMITS = limitsHelp(RUN_MEASURES, {
  requests: ["N", "every request, also of sub-agents, titles and compactions"],
  tokens: ["2m", "tokens in and out, without those read from or", "written to a cache"],
  cost: ["'$5'", "US dollars, at list prices"],
  time: ["2h", "time at work; it acts on requests only: a program that sends", "none is not ended"],
  turns: ["N", "turns: a retry, a title or a compaction is none (*)"],
});

export const RUN_HELP = `Usage: ${FORM}

Starts an agent behind a gateway on this machine, and holds it to limits. No file
of the agent's is changed. Example:

  turn-limit run --max-turns 25 --max-cost '$5' -- claude -p "fix the tests"

Limits. Each may be followed by "per day", "per week" or "per month": then all
runs that have such a limit share it. Several with commas: '$5, $20 per day'.

${LIMITS}
  --pool ID            the limits are those of a pool, shared by all that name it;
                       without limits, those that others gave it
  --store STORE        where pools are: a file, or a redis:// or rediss:// address
                       (default: TURN_LIMIT_STORE, else Pi's)
${PRICES_HELP}

COMMAND may start the agent in any way, by a script, timeout, env, npx or node, and
the agent may start others: all of them count.

Requests, tokens, cost and time hold any agent that can be pointed at a base
address: the usual variables are set, others with

  --route NAME=ADDRESS  set the variable NAME to the gateway's address for the
                        provider at ADDRESS

At a limit such an agent gets status 402 with a message, for everything from then on.

(*) Turns, questions, wrap-up and a last answer work for agents with a profile:
${TESTED}
Other versions, too, as long as their requests say what they are. If not, every
request counts as a turn, nobody is asked, and a line says why.

  --at-limit WHAT      ask (default), stop, or answer: a last turn without tools.
                       Without a terminal and without --ask the default is stop
  --nobody WHAT        what to do if nobody replies: stop (default), or answer
  --wrap-up N          tell the model N turns before the end to finish
  --ask COMMAND        ask by a command: it gets the question as JSON on its
                       standard input, and prints yes, no, unlimited, wrap-up, or
                       how much more, such as 10 or '$2'
  --hold TIME          how long a question may hold a request (default: as long as
                       the agent waits for it)
  --profile ID         which agent it is, if COMMAND does not say it; none: hold it
                       as any other program

A person is asked on the terminal if the agent leaves it free (claude -p, codex
exec, opencode run), else by "turn-limit pools" in another one. Limits hold for the
whole run, however many prompts are typed.

  --json               print the summary as one line of JSON
  --help               print this

One line on standard error says how it ended. The exit code is that of the agent,
or ${LIMIT_EXIT_CODE} if a limit ended the run, or 130 if the agent ends with 0 after Ctrl+C.
2: what was typed is wrong; 126, 127: COMMAND cannot be started, or was not found;
1: it could not be started, or nothing was held, because no request came through the
gateway.

More examples:

  turn-limit run --max-cost '$20 per day' --max-time 2h -- codex exec "…"
  turn-limit run --max-requests 200 --max-tokens 2m -- python my_agent.py
  turn-limit run --pool night --max-cost '$50' -- opencode run "…"
`;

/** Everything that was typed after `turn-limit run`, checked. */
export type RunOptions = Readonly<ReturnType<typeof readRunOptions>>;

/** Reads what was typed. Throws for what is wrong. */
export function readRunOptions(
  typed: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  files: PersonsFiles,
) {
  const { words, options } = parseArguments(typed, OPTIONS, true);
  const [command] = words;
  if (!command) throw wrongInput(`COMMAND is missing. Use ${FORM}.`);
  const limits = wantedLimits(options);
  if (limits.length === 0 && options.pool === undefined)
    throw wrongInput(
      `No limit is given. Use ${RUN_MEASURES.map((measure) => `--${optionFor(measure)}`).join(", ")} before the ` +
        "command, or --pool with a pool that has limits.",
    );
  const agent = chosenAgent(words, options.profile, files);
  if (!agent.profile) requireProfileFor(command, options);
  const { args, isNamed } = agent;
  return {
    /** The command with all of its arguments. */
    line: words,
    /** The agent's own arguments. */
    args,
    /** Does the line name the agent? */
    isNamed,
    limits,
    /** The pool whose limits they are. */
    pool: poolId(options.pool, limits),
    store: storeAddress(options.store, env),
    atLimit: oneOfWords("at-limit", options["at-limit"], AT_LIMIT),
    /** Was it said that a person is to be asked? Then one is asked in the pools, also without a terminal. */
    isAskWanted: options["at-limit"] === "ask",
    /** What is done at a limit if nobody replies. */
    nobody: oneOfWords("nobody", options.nobody, NOBODY),
    /** How many turns before the end the model is told to wrap up. */
    wrapUp: wrapUp(options["wrap-up"], limits, options.pool),
    unpriced: oneOfWords("unpriced", options.unpriced ?? UNPRICED_BY_DEFAULT, UNPRICED),
    /** The prices that were given. */
    price: readPrices(options.price),
    /** A command that asks a person. */
    ask: options.ask,
    /** For how many milliseconds a question may hold a request. `undefined`: as long as the agent waits. */
    hold: hold(options.hold),
    profile: agent.profile,
    /** How the agent is started so that its requests pass through the gateway. */
    launcher: agent.launcher,
    /** Does the agent leave the terminal to others? */
    isHeadless: agent.launcher.isHeadless(args),
    /** Variables of the agent that get the gateway's address for a provider, and the provider's own address. */
    routes: readRoutes(options.route),
    json: options.json === true,
  };
}

function poolId(id: string | undefined, limits: readonly WantedLimit[]): string | undefined {
  if (id?.includes("@"))
    throw wrongInput(`${JSON.stringify(id)} from --pool is not the name of a pool. Use one without "@".`);
  const periods = new Set(limits.map(({ per }) => per));
  if (id !== undefined && periods.size > 1)
    throw wrongInput(
      `The limits of --pool ${id} hold for different times. Use the same for all: none, day, week or month.`,
    );
  return id;
}

function wrapUp(given: string | undefined, limits: readonly WantedLimit[], pool: string | undefined): number {
  if (given === undefined) return 0;
  const turns = counted(1).parse(given);
  if (turns === undefined)
    throw wrongInput(`${JSON.stringify(given)} from --wrap-up is not a number of turns. Use ${ONE_OR_MORE}.`);
  const own = limits.find(({ measure, per }) => measure === "turns" && per === undefined);
  if (!own || pool !== undefined)
    throw wrongInput(`--wrap-up ${given} needs the turn limit of this run: --max-turns N, without --pool.`);
  if (own.max !== "unlimited" && turns >= own.max)
    throw wrongInput(`--wrap-up ${given} leaves no turn of --max-turns ${own.max}. Use a smaller number.`);
  return turns;
}

const ONE_OR_MORE = counted(1).allowed;

function hold(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const time = DURATION.parse(given);
  if (time !== undefined && time > 0 && time <= LONGEST_TIMER) return time;
  throw wrongInput(
    `${JSON.stringify(given)} from --hold is not a time to wait. Use ${DURATION.allowed}, above 0 and below 596h.`,
  );
}
