import type {
  CustomEntry,
  ExtensionAPI,
  ExtensionContext,
  SessionEntry,
  SessionTreeEvent,
} from "@earendil-works/pi-coding-agent";
import { countOf, isObject, maxOf, stepsOf } from "../config/grammar.ts";
import { budgetClaimsIn } from "../config/held-claims.ts";
import type { Claims, LimitKey, LimitValues } from "../config/LimitValues.ts";
import { DEFAULTS, resolve, type SourcedClaims } from "../config/resolve.ts";
import type { Sources } from "../config/sources.ts";

const ENTRY = "turn-limit:set";

/**
 * The limits of the current session: what is configured, unless a command said otherwise. What a
 * command sets is kept as a session entry, so that it survives `/reload`, `/resume`, `/fork` and, as
 * of the point gone back to, `/tree`.
 */
export class LimitsInForce {
  readonly #pi: ExtensionAPI;
  readonly #apply: (values: LimitValues, changed: readonly string[]) => void;
  #configured: readonly SourcedClaims[] = [{ source: "default", claims: DEFAULTS }];
  #chosen: Claims = {};

  /** `apply` is called with the values, and the keys of those that may have changed. */
  constructor(pi: ExtensionAPI, apply: (values: LimitValues, changed: readonly string[]) => void) {
    this.#pi = pi;
    this.#apply = apply;
  }

  get values(): LimitValues {
    const weakestFirst = this.#configured.toReversed().map(({ claims }) => claims);
    return Object.assign({}, DEFAULTS, ...weakestFirst, this.#chosen);
  }

  /** Where a value came from, in words; a command is named by `command`. */
  sourceOf(key: LimitKey, command: string): string {
    if (key in this.#chosen) return `/${command} in this session`;
    return this.#configured.find(({ claims }) => key in claims)?.source ?? "default";
  }

  /** A session starts: takes what is configured and returns what was refused. */
  configure(ctx: ExtensionContext, sources: Sources): readonly string[] {
    const { order, problems } = resolve(sources);
    this.#configured = order;
    this.recall(ctx);
    return problems;
  }

  /** The session stands at another point: takes what commands had set up to there. */
  recall(ctx: ExtensionContext): void {
    const before = Object.keys(this.values);
    this.#chosen = chosenIn(ctx.sessionManager.getBranch());
    this.#apply(this.values, [...before, ...Object.keys(this.values)]);
  }

  /**
   * The session goes to another point of its tree. What a command set right at that point hangs below it as entries
   * that nobody sees, so it is taken along.
   */
  goTo(ctx: ExtensionContext, { newLeafId, oldLeafId }: SessionTreeEvent): void {
    const left = oldLeafId === null ? [] : ctx.sessionManager.getBranch(oldLeafId);
    const here = left.findIndex(({ id }) => id === newLeafId);
    const below = here < 0 ? [] : left.slice(here + 1);
    const end = below.findIndex(({ type }) => type !== "custom");
    const setHere = chosenIn(end < 0 ? below : below.slice(0, end));
    this.recall(ctx);
    if (Object.keys(setHere).length > 0) this.choose(setHere);
  }

  /** A command sets limits for the rest of the session. */
  choose(claims: Claims): void {
    this.#pi.appendEntry(ENTRY, claims);
    this.#chosen = { ...this.#chosen, ...claims };
    this.#apply(this.values, Object.keys(claims));
  }
}

/** What commands set in these entries; the last word counts. */
function chosenIn(entries: readonly SessionEntry[]): Claims {
  const said = entries.filter((entry) => entry.type === "custom" && entry.customType === ENTRY);
  return Object.assign({}, ...said.map((entry) => claimsIn((entry as CustomEntry).data)));
}

// A session file can be edited by anyone: what is not a limit there is not one here.
function claimsIn(data: unknown): Claims {
  if (!isObject(data)) return {};
  const claims = { turns: maxOf(data.turns), grace: countOf(data.grace), steps: stepsOf(data.steps) };
  const said = Object.entries(claims).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(said), ...budgetClaimsIn(data) };
}
