import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { countOf, isObject, maxOf, stepsOf } from "../config/grammar.ts";
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
  readonly #apply: (values: LimitValues) => void;
  #configured: readonly SourcedClaims[] = [{ source: "default", claims: DEFAULTS }];
  #chosen: Claims = {};

  /** `apply` is called with the values whenever they may have changed. */
  constructor(pi: ExtensionAPI, apply: (values: LimitValues) => void) {
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
    const entries = ctx.sessionManager.getBranch();
    this.#chosen = Object.assign(
      {},
      ...entries.map((entry) =>
        entry.type === "custom" && entry.customType === ENTRY ? claimsIn(entry.data) : {},
      ),
    );
    this.#apply(this.values);
  }

  /** A command sets limits for the rest of the session. */
  choose(claims: Claims): void {
    this.#pi.appendEntry(ENTRY, claims);
    this.#chosen = { ...this.#chosen, ...claims };
    this.#apply(this.values);
  }
}

// A session file can be edited by anyone: what is not a limit there is not one here.
function claimsIn(data: unknown): Claims {
  if (!isObject(data)) return {};
  const claims = { turns: maxOf(data.turns), grace: countOf(data.grace), steps: stepsOf(data.steps) };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}
