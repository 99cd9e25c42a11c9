import { UNPRICED } from "../../core/limits/kinds.ts";
import { counted, DURATION } from "../../core/text/amounts.ts";
import { PROFILES } from "../../launch/launch.ts";
import type { PersonsFiles } from "../../launch/launcher.ts";
import { LONGEST_TIMER } from "../../run/clock.ts";
import { oneOfWords, parseArguments, readRoutes } from "../arguments.ts";
import { wrongInput } from "../command-error.ts";
import { PRICES_HELP, readPrices } from "../given-prices.ts";
import { MAX_PLAN, wantedWindows } from "../plan-limits.ts";
import { UNPRICED_BY_DEFAULT } from "../pooled-limits.ts";
import { storeAddress } from "../stores.ts";
import { readTell } from "../tell-option.ts";
import {
  limitOptions,
  limitsHelp,
  optionFor,
  RUN_MEASURES,
  type WantedLimit,
  wantedLimits,
} from "../wanted-limits.ts";
import { asksInDialog, chosenAgent, inSession, requireParkable, requireProfileFor } from "./agent.ts";
import { readNotifyOptions } from "./notifying.ts";
import { LIMIT_EXIT_CODE, PARKED_EXIT_CODE } from "./summary.ts";

const OPTIONS = {
  ...limitOptions(RUN_MEASURES),
  [MAX_PLAN]: "values",
  "max-repeats": "value",
  pool: "value",
  store: "value",
  "at-limit": "value",
  unanswered: "value",
  "wrap-up": "value",
  tell: "shares",
  "tell-message": "value",
  "final-tool": "value",
  progress: "value",
  unpriced: "value",
  price: "values",
  ask: "value",
  hold: "value",
  profile: "value",
  route: "values",
  notify: "values",
  "notify-on": "value",
  dashboard: "flag",
  "no-dialog": "flag",
  unlisted: "flag",
  json: "flag",
} as const;

const AT_LIMIT = ["ask", "stop", "answer"] as const;
const UNANSWERED = ["stop", "answer", "park"] as const;

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
"wait" may follow that, '$20 per day wait': the run waits until the next day, week
or month, and goes on by itself.
'25 extend 3' goes on for another 25 without a question while the run gets
somewhere, 3 times at most; '25 extend 3 by 10' for 10.
p90, or 'p90 up to 50', covers 90 % of what the last runs of this agent took.

${LIMITS}
  --max-repeats N      how often in a row the agent may make the same call with the
                       same result; the model is told, and goes on once more (*)
  --max-plan '5h 80%'  how much of a window of your subscription may be used, as the
                       provider tells it; several with commas; wait may follow
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

(*) Turns, repeats, questions, wrap-up and a last answer work for agents with a profile:
${TESTED}
Other versions, too, as long as their requests say what they are. If not, every
request counts as a turn, nobody is asked, and a line says why.

  --at-limit WHAT      ask (default), stop, or answer: a last turn without tools.
                       Without a terminal, --ask and --dashboard the default is stop
  --unanswered WHAT    what to do if nobody replies: stop (default), answer, or
                       park: the agent ends, and "turn-limit resume ID" goes on
                       with it later, on what is left and what is allowed then
  --progress COMMAND   a run gets somewhere if COMMAND ends with exit code 0, or prints
                       a number that rises (default: if files have new contents)
  --wrap-up N          tell the model N turns before the end to finish
  --tell [SHARES]      tell the model what it has left, at shares of each limit in
                       percent (default 80,90,95), or in every-turn: one line at the
                       end of the request
  --tell-message TEXT  that line in your words, for one limit: {limit}, {used}, {max},
                       {left}, {share} and {end} in it
  --final-tool NAME    the tool with which the agent answers: the last turn has it
                       alone (Claude Code's --json-schema needs no such option)
  --ask COMMAND        ask by a command: it gets the question as JSON on its
                       standard input, and prints yes, no, unlimited, wrap-up, or
                       how much more, such as 10 or '$2'
  --no-dialog          do not ask in the agent's own dialog
  --hold TIME          how long a question and --progress may hold a request (default:
                       as long as the agent waits for it)
  --profile ID         which agent it is, if COMMAND does not say it; none: hold it
                       as any other program

A person is asked on the terminal if the agent leaves it free (claude -p, codex
exec, opencode run, gemini -p, qwen -p, pi -p), else in the agent's own dialog, and
by "turn-limit pools" in another terminal. Limits hold for the whole run, however many
prompts are typed.

While it works the run is listed in the store: "turn-limit pools" shows it in another
terminal, answers its questions, extends, freezes and stops it.

  --unlisted           do not list it, and do not remember what it took for p90
  --dashboard          serve the page of "turn-limit dashboard" while it works, at
                       port 4747 of this machine, or at another if that is taken

Notifications reach you elsewhere, and a question has buttons there:

  --notify PLACE       ntfy://HOST/TOPIC, ntfy:ADDRESS/TOPIC, webhook:ADDRESS or
                       command:LINE; may be given several times. A token for the
                       server of ntfy is read from TURN_LIMIT_NOTIFY_TOKEN
                       (default: TURN_LIMIT_NOTIFY, else none)
  --notify-on LIST     tell also of budget (80 % of a limit), end, idle=10m

  --json               print the summary as one line of JSON
  --help               print this

One line on standard error says how it ended. The exit code is that of the agent,
or ${LIMIT_EXIT_CODE} if a limit ended the run, or ${PARKED_EXIT_CODE} if it is parked, or 130 if the agent ends
with 0 after Ctrl+C.
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
  const limits = wantedLimits(options, { ofRuns: options.pool === undefined });
  const repeats = repeatsIn(options["max-repeats"]);
  const plan = wantedWindows(options[MAX_PLAN]);
  if (limits.length === 0 && plan.length === 0 && repeats === undefined && options.pool === undefined)
    throw wrongInput(
      `No limit is given. Use ${[...RUN_MEASURES.map(optionFor), MAX_PLAN, "max-repeats"]
        .map((name) => `--${name}`)
        .join(", ")} before the command ${JSON.stringify(command)}, or --pool with a pool that has limits.`,
    );
  const agent = chosenAgent(words, options.profile, files);
  if (!agent.profile) requireProfileFor(command, options);
  const unanswered = oneOfWords("unanswered", options.unanswered, UNANSWERED);
  const atLimit = oneOfWords("at-limit", options["at-limit"], AT_LIMIT);
  const waits = [...limits, ...plan].some((limit) => limit.waits);
  const parks = unanswered === "park" ? "--unanswered park" : waits && agent.profile ? "wait" : undefined;
  if (parks !== undefined) requireParkable(agent, parks, unanswered === "park" ? atLimit : undefined);
  const { isNamed } = agent;
  const started = parks === undefined ? { line: words, args: agent.args } : inSession(agent, words, parks);
  const { line, args, session } = { session: undefined, ...started };
  return {
    /** The command with all of its arguments. */
    line,
    /** The agent's own arguments. */
    args,
    /** Its session, where its requests do not name it and it may be parked. */
    session,
    /** Does the line name the agent? */
    isNamed,
    limits,
    /** How much of the windows of a subscription may be used. */
    plan,
    /** The pool whose limits they are. */
    pool: poolId(options.pool, limits),
    store: storeAddress(options.store, env),
    atLimit,
    /** Was it said that a person is to be asked, or where? Then one is asked in the pools, also without a terminal. */
    isAskWanted: options["at-limit"] === "ask" || options.dashboard === true,
    /** What is done at a limit if nobody replies. */
    unanswered,
    /** Is the run parked where its agent would not wait until a limit starts over? */
    parksWaiting: waits && agent.profile !== undefined,
    /** How often in a row the agent may make the same call. */
    repeats,
    /** How many turns before the end the model is told to wrap up. */
    wrapUp: wrapUp(options["wrap-up"], limits, options.pool),
    /** When the model is told what it has left. */
    tell: readTell(options.tell, options["tell-message"]),
    /** A command that says whether the run gets somewhere. `undefined`: the files of its folder do. */
    progress: progressIn(options.progress, limits),
    /** The tool with which the agent gives its answer. */
    finalTool: options["final-tool"],
    unpriced: oneOfWords("unpriced", options.unpriced ?? UNPRICED_BY_DEFAULT, UNPRICED),
    /** The prices that were given. */
    price: readPrices(options.price),
    /** A command that asks a person. */
    ask: options.ask,
    /** Is the person asked in the agent's own dialog, where it has one? */
    asksInDialog: asksInDialog(options, agent),
    /** For how many milliseconds a question may hold a request. `undefined`: as long as the agent waits. */
    hold: hold(options.hold),
    profile: agent.profile,
    /** How the agent is started so that its requests pass through the gateway. */
    launcher: agent.launcher,
    /** Does the agent leave the terminal to others? */
    isHeadless: agent.launcher.isHeadless(args),
    /** Variables of the agent that get the gateway's address for a provider, and the provider's own address. */
    routes: routesTo(options.route),
    /** What a person is notified of, and where. */
    notify: readNotifyOptions(
      {
        places: options.notify,
        on: options["notify-on"],
        asks: agent.profile !== undefined && atLimit === "ask",
      },
      env,
    ),
    /** Is the page with the runs of the store served while it works? */
    hasDashboard: options.dashboard === true,
    /** Is the run listed in the store while it works? */
    isListed: options.unlisted !== true,
    json: options.json === true,
    /** What was typed before the command, for a run that goes on from this one. Where its store is, is known then. */
    typed: typedAgain({ ...options, store: undefined }),
  };
}

/** Variables that say how programs are started and how they connect. No program takes a provider's address from them. */
const NO_ADDRESS = /^(path|node_options|(https?|all|no)_proxy)$/i;

function routesTo(given: readonly string[] | undefined): Readonly<Record<string, string>> {
  const routes = readRoutes(given);
  const name = Object.keys(routes).find((name) => NO_ADDRESS.test(name));
  if (name !== undefined)
    throw wrongInput(
      `${name} from --route is no variable from which an agent takes its provider's address. Use one such as OPENAI_BASE_URL.`,
    );
  return routes;
}

function typedAgain(options: Readonly<Record<string, string | string[] | true | undefined>>): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined
      ? []
      : value === true
        ? [`--${name}`]
        : [value].flat().map((one) => `--${name}=${one}`),
  );
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
  if (own.max !== "unlimited" && !own.percentile && turns >= own.max)
    throw wrongInput(`--wrap-up ${given} leaves no turn of --max-turns ${own.max}. Use a smaller number.`);
  return turns;
}

function progressIn(given: string | undefined, limits: readonly WantedLimit[]): string | undefined {
  if (given === undefined || limits.some(({ extend }) => extend !== undefined)) return given;
  throw wrongInput(
    `--progress ${given} needs a limit that can be extended, such as --max-turns '25 extend 3'.`,
  );
}

function repeatsIn(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const repeats = counted(1).parse(given);
  if (repeats !== undefined) return repeats;
  throw wrongInput(
    `Invalid repeat limit from --max-repeats. ${JSON.stringify(given)} is not a number of calls. Use ${ONE_OR_MORE}.`,
  );
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
