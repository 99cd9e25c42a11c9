import type { Grant } from "../../pools/ledger/grants.ts";
import { grantText } from "../../pools/listing/words.ts";
import { maxFromUnits } from "../../pools/units.ts";
import { parseArguments } from "../arguments.ts";
import { wrongInput } from "../command-error.ts";
import { type Line, line, type Row, table } from "../pools/lines.ts";
import { print, printJson, widthFor, withStore } from "../pools/output.ts";
import { shownAddress, storeAddress } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";

export const GRANTS_HELP = `Usage: turn-limit grants [--store STORE] [--json]

Shows what persons decided about runs and pools: answers, extensions, freezes
and stops, when, where, and to whom; and which limits were extended by itself,
because the run got somewhere. The last 1,000 are kept in a file; on a
Redis server the last 100 of each pool and run, for a month.

  --store STORE  a file, or a redis:// or rediss:// address (default:
                 TURN_LIMIT_STORE, else Pi's: turn-limit.sqlite in
                 PI_CODING_AGENT_DIR, else in ~/.pi/agent)
  --json         print JSON: cost in US dollars, time in milliseconds
  --help         print this
`;

const OPTIONS = { store: "value", json: "flag" } as const;

/** `turn-limit grants`: shows what persons decided. */
export async function grantsCommand(args: readonly string[], around: Surroundings): Promise<undefined> {
  const { words, options } = parseArguments(args, OPTIONS);
  if (words.length > 0)
    throw wrongInput(
      `${JSON.stringify(words[0])} is one word too many. Use turn-limit grants [--store STORE] [--json].`,
    );
  const { json = false } = options;
  const address = storeAddress(options.store, around.env);
  const place = shownAddress(address);
  const show = (grants: readonly Grant[]) =>
    json
      ? printJson({ store: place, grants: grants.map(grantView) }, around)
      : print(grantsTable(grants, widthFor(around)), around);
  await withStore(
    address,
    around,
    () => show([]),
    async (store) => show(await store.grants()),
  );
}

/** A grant as `--json` prints it. Every field is always there. */
function grantView(grant: Grant) {
  const { key, record, at, did, where, to, question, reply, measure, by, why, round } = grant;
  return {
    id: key,
    record,
    at: new Date(at).toISOString(),
    did,
    where,
    to,
    question: question
      ? { ...question, identity: question.identity ?? null, why: question.why ?? null }
      : null,
    reply: reply ?? null,
    limit: measure ?? question?.limit ?? round?.limit ?? null,
    by: round?.by ?? (measure === undefined || by === undefined ? null : maxFromUnits(measure, by)),
    times: round?.times ?? null,
    why: why ?? round?.what ?? null,
    text: grantText(grant),
  };
}

function grantsTable(grants: readonly Grant[], width: number): Line[] {
  if (grants.length === 0) return [line("Nothing was granted yet.", "dim")];
  const rows = grants.map((grant): Row => {
    const { at, did, where, to, why = "" } = grant;
    const what = SAYS_MORE.has(did) ? grantText(grant) : why;
    return { cells: [to, whenText(at), DID[did] ?? did, what, where] };
  });
  return table(["TO", "WHEN", "WHAT", "", "WHERE"], rows, width);
}

/** Of what was done beyond the word for it. Of the rest, such as a freeze, there is only the reason. */
const SAYS_MORE: ReadonlySet<string> = new Set(["answer", "extend", "round"]);

const DID: Readonly<Record<string, string>> = {
  answer: "answered",
  extend: "extended",
  round: "extended",
  freeze: "frozen",
  unfreeze: "unfrozen",
  stop: "stopped",
  reset: "reset",
};

// In the time of whoever reads it.
function whenText(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}
