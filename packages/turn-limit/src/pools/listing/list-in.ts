import { check, flag, object, optional, text } from "../../core/checks.ts";
import type { AskPerson, ListableRun, Listing } from "../../run/listing.ts";
import type { Store } from "../ledger/store.ts";
import { type GivenStore, openerOf } from "../stores/given-store.ts";
import { RunInStore } from "./run-in-store.ts";

/** How runs are listed. */
export interface ListingOptions {
  /** Which agent it is. Default: `agent`. */
  agent?: string | undefined;
  /** What a run is called. Default: the script and the number of the process. */
  name?: string | undefined;
  /** The folder that it works in. Default: that of the process. */
  folder?: string | undefined;
  /**
   * Where a person answers who answers by `ask`, as it follows "Answered". Default: `by its program`. Where a function returns
   * nothing, what `ask` returned is not a person's reply of now, and is not kept as one.
   */
  where?: string | (() => string | undefined) | undefined;
  /** Is it listed also between two runs, until it is closed? Default: no. */
  betweenRuns?: boolean | undefined;
  /** The id that the run has in the store. Only for a listing of one run. Default: one of its own. */
  id?: string | undefined;
  /** After how many milliseconds it says again where it stands, if that has changed. Default: a second. */
  every?: number | undefined;
}

/** What `listIn` makes. */
export interface StoreListing extends Listing {
  /** Asks where the run is listed, and nowhere else: to be given to an adapter as `ask`. */
  readonly ask: AskPerson;
}

const METHODS = ["take", "change", "look", "delete", "now", "runs"] satisfies (keyof Store)[];
const every = check<number>(
  (value) => typeof value === "number" && value > 0 && value <= 60_000,
  "a number of milliseconds above 0, up to 60,000",
);
const where = check<string | (() => string | undefined)>(
  (value) => typeof value === "string" || typeof value === "function",
  'a text such as "in the terminal", or a function that returns one',
);
const checkOptions = object({
  agent: optional(text, "agent"),
  name: optional(text, undefined),
  folder: optional(text, undefined),
  where: optional(where, "by its program"),
  betweenRuns: optional(flag, false),
  id: optional(text, undefined),
  every: optional(every, 1_000),
});

/** The options of a listing, checked. */
export interface CheckedListing extends Pick<ListingOptions, "name" | "folder" | "id"> {
  agent: string;
  where: string | (() => string | undefined);
  betweenRuns: boolean;
  every: number;
}

/**
 * Lists runs in a store while they work: they can be seen, answered, extended, frozen and stopped from elsewhere. To be
 * given to any adapter as `listed`. It costs no request to the store per turn. A store that cannot be used holds no run.
 * A function that opens the store is called when something is to be listed.
 *
 * @example
 * const listed = listIn(sqliteStore("runs.sqlite"), { agent: "researcher" });
 * await runAgent(limitToolLoop({ turns: 25, listed, ask: listed.ask }));
 */
export function listIn(store: GivenStore, options: ListingOptions = {}): StoreListing {
  const checked = checkOptions(options, "") as CheckedListing;
  const open = openerOf(store, METHODS);
  return {
    open: (run: ListableRun) => new RunInStore(open, run, checked),
    ask: (_question, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve(undefined);
        else signal.addEventListener("abort", () => resolve(undefined), { once: true });
      }),
  };
}
