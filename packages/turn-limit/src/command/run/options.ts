import { UNPRICED } from "../../core/limits/kinds.ts";
import { counted, DURATION } from "../../core/text/amounts.ts";
import type { PersonsFiles } from "../../launch/launcher.ts";
import { LONGEST_TIMER } from "../../run/clock.ts";
import { oneOfWords, parseArguments, readRoutes } from "../arguments.ts";
import { wrongInput } from "../command-error.ts";
import { readPrices } from "../given-prices.ts";
import { MAX_PLAN, wantedWindows } from "../plan-limits.ts";
import { UNPRICED_BY_DEFAULT } from "../pooled-limits.ts";
import { storeAddress } from "../stores.ts";
import { readTell } from "../tell-option.ts";
import { limitOptions, optionFor, RUN_MEASURES, type WantedLimit, wantedLimits } from "../wanted-limits.ts";
import { asksInDialog, chosenAgent, inSession, requireParkable, requireProfileFor } from "./agent.ts";
import { FORM } from "./help.ts";
import { readNotifyOptions } from "./notifying.ts";

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
