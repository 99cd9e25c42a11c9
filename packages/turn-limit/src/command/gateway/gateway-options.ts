import { KINDS, UNPRICED, type Unpriced } from "../../core/limits/kinds.ts";
import type { Measure } from "../../core/measures/measures.ts";
import { counted } from "../../core/text/amounts.ts";
import { listed } from "../../core/text/number-text.ts";
import { baseAddress } from "../../gateway/addresses.ts";
import { upstreamVariables } from "../../launch/environment.ts";
import { oneOfWords, parseArguments } from "../arguments.ts";
import { wrongInput } from "../command-error.ts";
import { readRoutes } from "../route-option.ts";
import { storeAddress } from "../stores.ts";
import { limitOptions, optionFor, RUN_MEASURES, type WantedLimit, wantedLimits } from "../wanted-limits.ts";
import { readPer, type WhoseOf } from "./whose-request.ts";

// Turns are not recognised here, and time also passes without requests.
const UNSEEN: readonly Measure[] = ["turns", "time"];
export const GATEWAY_MEASURES = RUN_MEASURES.filter((name) => !UNSEEN.includes(KINDS[name].measure));

const OPTIONS = {
  ...limitOptions(GATEWAY_MEASURES),
  per: "value",
  store: "value",
  unpriced: "value",
  port: "value",
  host: "values",
  route: "values",
} as const;

/** Everything that was typed after `turn-limit gateway`, checked. */
export interface GatewayCommandOptions {
  readonly limits: readonly WantedLimit[];
  readonly whoseOf: WhoseOf;
  readonly store: string;
  readonly unpriced: Unpriced;
  readonly port: number | undefined;
  /** The secret part of the path, if it is to stay the same. */
  readonly secret: string | undefined;
  /** Other names under which it is reached. */
  readonly hosts: readonly string[];
  /** The variables that are printed, each with the address of its provider. */
  readonly upstreams: Readonly<Record<string, string>>;
}

/** Reads what was typed. Throws for what is wrong. */
export function readGatewayOptions(
  typed: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): GatewayCommandOptions {
  const { words, options } = parseArguments(typed, OPTIONS);
  if (words.length > 0)
    throw wrongInput(`${JSON.stringify(words[0])} is one word too many. Use turn-limit gateway [OPTIONS].`);
  const limits = wantedLimits(options);
  if (limits.length === 0)
    throw wrongInput(
      `No limit is given. Use ${listed(
        GATEWAY_MEASURES.map((name) => `--${optionFor(name)}`),
        "or",
      )}, such as '$20 per day'.`,
    );
  return {
    limits,
    whoseOf: readPer(options.per),
    store: storeAddress(options.store, env),
    unpriced: oneOfWords("unpriced", options.unpriced, UNPRICED),
    port: port(options.port),
    secret: env.TURN_LIMIT_GATEWAY_SECRET || undefined,
    hosts: (options.host ?? []).map((host) => host.toLowerCase()),
    upstreams: upstreams(env, readRoutes(options.route)),
  };
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
