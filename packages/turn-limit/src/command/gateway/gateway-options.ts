import { KINDS, UNPRICED } from "../../core/limits/kinds.ts";
import type { Measure } from "../../core/measures/measures.ts";
import { counted } from "../../core/text/amounts.ts";
import { listed } from "../../core/text/number-text.ts";
import { baseAddress } from "../../gateway/addresses.ts";
import { upstreamVariables } from "../../launch/launch.ts";
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
import { readPer } from "./whose-request.ts";

// Turns are not recognised here, and time also passes without requests.
const UNSEEN: readonly Measure[] = ["turns", "time"];
const MEASURES = RUN_MEASURES.filter((name) => !UNSEEN.includes(KINDS[name].measure));

const OPTIONS = {
  ...limitOptions(MEASURES),
  [MAX_PLAN]: "values",
  per: "value",
  store: "value",
  unpriced: "value",
  tell: "shares",
  price: "values",
  port: "value",
  host: "values",
  route: "values",
} as const;

const LIMITS = limitsHelp(MEASURES, {
  requests: ["N", "requests"],
  tokens: ["2m", "tokens in and out, without those read from a cache"],
  cost: ["'$20'", "US dollars, at list prices"],
});

export const GATEWAY_HELP = `Usage: turn-limit gateway [OPTIONS]

Runs a gateway for many on this machine: each key, or each value of a header, has
a budget of its own in the store, which other gateways on the same store share.
Who has used it up gets status 402 until it is extended, or its period ends. Example:

  turn-limit gateway --store redis://budgets --max-cost '$20 per day' --port 4080

It prints the base addresses, as variables, and runs until it is ended. Where one of
them is set already, such as OPENAI_BASE_URL, requests go on to that address.

${LIMITS}
                       Each may be followed by "per day", "per week" or "per
                       month"; several with commas: '$20 per day, $300 per month'
  --max-plan '5h 80%'  how much of a window of the subscription that a key is of may be
                       used, as the provider tells it; several with commas
  --per key            a budget for each key (default). Of a key only the first 12
                       digits of its SHA-256 are kept: they are the pool's name
  --per header:NAME    a budget for each value of a header, such as x-team. The
                       pools are named after both: "x-team night"
  --store STORE        a file, or a redis:// or rediss:// address (default:
                       TURN_LIMIT_STORE, else Pi's)
${PRICES_HELP}
  --tell [SHARES]      tell models what is left, at shares of each limit in percent
                       (default 80,90,95), or in every-turn: one line at the end of
                       a request that offers tools
  --port N             the port (default: one that is free)
  --host HOST          another name under which it is reached, with the port if
                       it has one: that of a reverse proxy on this machine, for
                       people on others. Requests for other names are refused.
                       Example: --host llm.example.com, for a proxy that passes
                       https://llm.example.com on to http://127.0.0.1:4080
  --route NAME=ADDRESS also print the variable NAME for the provider at ADDRESS
  --help               print this

It listens on this machine only, behind a path that nobody can guess. To keep the
path over restarts, set TURN_LIMIT_GATEWAY_SECRET. "turn-limit pools" shows the
budgets, and extends them. /metrics has them for Prometheus, with a token of
"turn-limit devices add --metrics".
`;

/** Everything that was typed after `turn-limit gateway`, checked. */
export type GatewayCommandOptions = Readonly<ReturnType<typeof readGatewayOptions>>;

/** Reads what was typed. Throws for what is wrong. */
export function readGatewayOptions(
  typed: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  const { words, options } = parseArguments(typed, OPTIONS);
  if (words.length > 0)
    throw wrongInput(`${JSON.stringify(words[0])} is one word too many. Use turn-limit gateway [OPTIONS].`);
  const limits = wantedLimits(options);
  const plan = wantedWindows(options[MAX_PLAN]);
  const waiting = plan.some(({ waits }) => waits) ? MAX_PLAN : optionThatWaits(limits);
  if (waiting !== undefined)
    throw wrongInput(
      `wait from --${waiting} is not for a gateway: nobody's request is held for hours. Leave it out: who has used up ` +
        "what there is gets status 402 until it starts over.",
    );
  if (limits.length === 0 && plan.length === 0)
    throw wrongInput(
      `No limit is given. Use ${listed(
        [...MEASURES.map(optionFor), MAX_PLAN].map((name) => `--${name}`),
        "or",
      )}, such as --max-cost '$20 per day'.`,
    );
  return {
    limits,
    /** How much of windows of subscriptions may be used. */
    plan,
    whoseOf: readPer(options.per),
    store: storeAddress(options.store, env),
    /** When a model is told what is left. */
    tell: readTell(options.tell),
    unpriced: oneOfWords("unpriced", options.unpriced ?? UNPRICED_BY_DEFAULT, UNPRICED),
    /** The prices that were given. */
    price: readPrices(options.price),
    port: port(options.port),
    /** The secret part of the path, if it is to stay the same. */
    secret: env.TURN_LIMIT_GATEWAY_SECRET || undefined,
    /** Other names under which it is reached. */
    hosts: (options.host ?? []).map((host) => host.toLowerCase()),
    /** The variables that are printed, each with the address of its provider. */
    upstreams: upstreams(env, readRoutes(options.route)),
  };
}

function optionThatWaits(limits: readonly WantedLimit[]): string | undefined {
  const waiting = limits.find(({ waits }) => waits);
  return waiting && optionFor(waiting.measure);
}

function upstreams(
  env: Readonly<Record<string, string | undefined>>,
  routes: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const all = upstreamVariables(env, routes);
  for (const [name, address] of Object.entries(all))
    if (!baseAddress(address))
      throw wrongInput(
        `${JSON.stringify(address)} from ${name} is not the base address of a provider. Use an http:// or https:// ` +
          "address without a query.",
      );
  return all;
}

function port(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const number = counted(1).parse(given);
  if (number !== undefined && number <= 65_535) return number;
  throw wrongInput(`${JSON.stringify(given)} from --port is not a port. Use a number from 1 to 65535.`);
}
