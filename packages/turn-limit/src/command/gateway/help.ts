import { limitsHelp } from "../wanted-limits.ts";
import { GATEWAY_MEASURES } from "./gateway-options.ts";

const LIMITS = limitsHelp(GATEWAY_MEASURES, {
  requests: ["N", "requests"],
  tokens: ["2m", "tokens in and out, without those read from a cache"],
  cost: ["'$20'", "US dollars, at list prices"],
});

export const GATEWAY_HELP = `Usage: turn-limit gateway [OPTIONS]

Runs a gateway for many on this machine: each key, or each value of a header, has
a budget of its own in the store, which other gateways on the same store share.
Whoever has used it up gets status 402 until the pool admits more. Example:

  turn-limit gateway --store redis://budgets --max-cost '$20 per day' --port 4080

It prints the base addresses, as variables, and runs until it is ended. Where one of
them is set already, such as OPENAI_BASE_URL, requests go on to that address.

${LIMITS}
                       Each may be followed by "per day", "per week" or "per
                       month"; several with commas: '$20 per day, $300 per month'
  --per key            a budget for each key (default). Of a key only the first 12
                       digits of its SHA-256 are kept: they are the pool's name
  --per header:NAME    a budget for each value of a header, such as x-team. The
                       pools are named after both: "x-team night"
  --store STORE        a file, or a redis:// or rediss:// address (default:
                       TURN_LIMIT_STORE, else Pi's)
  --unpriced WHAT      for a model without a price: warn (default), stop, or
                       tokens: the token limit holds alone
  --port N             the port (default: one that is free)
  --host HOST          another name under which it is reached, with the port if
                       it has one: that of a reverse proxy on this machine, for
                       people on others. Requests for other names are refused.
                       Example: --host llm.example.com, for a proxy that passes
                       https://llm.example.com on to http://127.0.0.1:4080
  --route NAME=ADDRESS a variable for the provider at ADDRESS, besides the usual
  --help               print this

It listens on this machine only, behind a path that nobody can guess. To keep the
path over restarts, set TURN_LIMIT_GATEWAY_SECRET. "turn-limit pools" shows the
budgets, and extends them.
`;
