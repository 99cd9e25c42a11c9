import { UNPRICED, type Unpriced } from "../../core/limits/kinds.ts";
import { counted, DURATION } from "../../core/text/amounts.ts";
import type { Profile } from "../../gateway/agents/profile.ts";
import type { Launcher } from "../../launch/launcher.ts";
import { LONGEST_TIMER } from "../../run/clock.ts";
import { oneOfWords, parseArguments } from "../arguments.ts";
import { wrongInput } from "../command-error.ts";
import { readRoutes } from "../route-option.ts";
import { storeAddress } from "../stores.ts";
import { limitOptions, optionFor, RUN_MEASURES, type WantedLimit, wantedLimits } from "../wanted-limits.ts";
import { chosenAgent, requireProfileFor } from "./agent.ts";

const OPTIONS = {
  ...limitOptions(RUN_MEASURES),
  pool: "value",
  store: "value",
  "at-limit": "value",
  nobody: "value",
  "wrap-up": "value",
  unpriced: "value",
  ask: "value",
  hold: "value",
  profile: "value",
  route: "values",
  json: "flag",
} as const;

const AT_LIMIT = ["ask", "stop", "answer"] as const;
const NOBODY = ["stop", "answer"] as const;

/** Everything that was typed after `turn-limit run`, checked. */
export interface RunOptions {
  readonly command: string;
  /** What stands between the command and the agent's own arguments: of `npx codex exec`, `codex`. */
  readonly runnerArgs: readonly string[];
  readonly args: readonly string[];
  readonly limits: readonly WantedLimit[];
  /** The pool whose limits they are. */
  readonly pool: string | undefined;
  /** The address of the store. */
  readonly store: string;
  readonly atLimit: (typeof AT_LIMIT)[number];
  readonly nobody: (typeof NOBODY)[number];
  /** How many turns before the end the model is told. */
  readonly wrapUp: number;
  readonly unpriced: Unpriced;
  /** A command that asks a person. */
  readonly ask: string | undefined;
  /** For how many milliseconds a question may hold a request, if another time than the agent's was given. */
  readonly hold: number | undefined;
  readonly profile: Profile | undefined;
  /** How the agent is started so that its requests pass through the gateway. */
  readonly launcher: Launcher;
  /** Was the profile named? Then it is used for every version of the agent. */
  readonly isProfileNamed: boolean;
  /** Variables of the agent that get the gateway's address for a provider, and the provider's own address. */
  readonly routes: Readonly<Record<string, string>>;
  readonly json: boolean;
}

const FORM = "turn-limit run [OPTIONS] -- COMMAND [ARGS]";

/** Reads what was typed. Throws for what is wrong. */
export function readRunOptions(
  typed: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RunOptions {
  const { words, options } = parseArguments(typed, OPTIONS, true);
  const [command] = words;
  if (!command) throw wrongInput(`COMMAND is missing. Use ${FORM}.`);
  const limits = wantedLimits(options);
  if (limits.length === 0 && options.pool === undefined)
    throw wrongInput(
      `No limit is given. Use ${RUN_MEASURES.map((measure) => `--${optionFor(measure)}`).join(", ")} before the ` +
        "command, or --pool with a pool that has limits.",
    );
  const agent = chosenAgent(words, options.profile);
  if (!agent.profile) requireProfileFor(command, options);
  return {
    command,
    runnerArgs: words.slice(1, agent.words),
    args: words.slice(agent.words),
    limits,
    pool: poolId(options.pool, limits),
    store: storeAddress(options.store, env),
    atLimit: oneOfWords("at-limit", options["at-limit"], AT_LIMIT),
    nobody: oneOfWords("nobody", options.nobody, NOBODY),
    wrapUp: wrapUp(options["wrap-up"], limits, options.pool),
    unpriced: oneOfWords("unpriced", options.unpriced, UNPRICED),
    ask: options.ask,
    hold: hold(options.hold),
    profile: agent.profile,
    launcher: agent.launcher,
    isProfileNamed: options.profile !== undefined,
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
