import type {
  CustomEntry,
  ExtensionAPI,
  ExtensionContext,
  SessionEntry,
  SessionTreeEvent,
} from "@earendil-works/pi-coding-agent";
import { savedSettings } from "../config/saved-settings.ts";
import { completed, DEFAULTS, merged, type Path, type Settings, valueAt } from "../config/settings.ts";
import { type Configuration, resolve, type Source } from "../config/sources.ts";
import type { LimitValues } from "../limits/pi-limits.ts";

const ENTRY = "turn-limit:set";

/**
 * The limits of the current session: what is configured, unless a command said otherwise. What a
 * command sets is kept as a session entry, so that it survives `/reload`, `/resume`, `/fork` and, as
 * of the point gone back to, `/tree`.
 */
export class LimitsInForce {
  readonly #pi: ExtensionAPI;
  readonly #apply: (values: LimitValues) => void;
  #configured: readonly Source[] = [{ name: "default", settings: DEFAULTS }];
  #chosen: Settings = {};

  /** `apply` is called with the values whenever they change. */
  constructor(pi: ExtensionAPI, apply: (values: LimitValues) => void) {
    this.#pi = pi;
    this.#apply = apply;
  }

  get values(): LimitValues {
    const weakestFirst = this.#configured.toReversed().map(({ settings }) => settings);
    return completed(merged(...weakestFirst, this.#chosen)) as LimitValues;
  }

  /** Where a value came from, in words; a command is named by `command`. */
  sourceOf(path: Path, command = "limits"): string {
    if (valueAt(this.#chosen, path) !== undefined) return `/${command} in this session`;
    return this.#configured.find(({ settings }) => valueAt(settings, path) !== undefined)?.name ?? "default";
  }

  /** A session starts: takes what is configured and returns what was refused. */
  configure(ctx: ExtensionContext, configuration: Configuration): readonly string[] {
    const { sources, problems } = resolve(configuration);
    this.#configured = sources;
    this.recall(ctx);
    return problems;
  }

  /** The session stands at another point: takes what commands had set up to there. */
  recall(ctx: ExtensionContext): void {
    this.#chosen = chosenIn(ctx.sessionManager.getBranch());
    this.#apply(this.values);
  }

  /**
   * The session goes to another point of its tree. What a command set right at that point is below it, as entries that
   * are not shown, so it is taken along.
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
  choose(settings: Settings): void {
    this.#pi.appendEntry(ENTRY, settings);
    this.#chosen = merged(this.#chosen, settings);
    this.#apply(this.values);
  }
}

/** What commands set in these entries; the last word counts. */
function chosenIn(entries: readonly SessionEntry[]): Settings {
  const said = entries.filter((entry) => entry.type === "custom" && entry.customType === ENTRY);
  return merged(...said.map((entry) => savedSettings((entry as CustomEntry).data)));
}
