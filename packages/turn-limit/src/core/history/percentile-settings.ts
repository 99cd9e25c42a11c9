import { isPlainObject } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { type GovernorSettings, KIND_NAMES } from "../governor/settings.ts";
import { type LimitIdentity, labelOf, type Max } from "../limits/boundary.ts";
import { type KindName, kindOf, type LimitOptions, type LimitSetting } from "../limits/kinds.ts";
import { amountOf } from "../text/amounts.ts";
import {
  PERCENTILE_EXAMPLE,
  type PercentileText,
  parsePercentile,
  whyNoPercentile,
} from "../text/percentile.ts";
import type { Wanted } from "./choice.ts";
import { isOfRuns, maximumWithoutRuns } from "./chosen-maximum.ts";
import { withUpTo } from "./words.ts";

// Percentiles in the settings of a governor, which itself knows none.

/** The limits that can be chosen from what runs took. */
type Choosable = Exclude<KindName, "repeats">;

/** A limit, or a percentile of what runs took: `"p90"`, `"p90 up to 50"`, `{ max: "p90", onExhausted: "stop" }`. */
export type LimitFromHistory<Name extends Choosable> =
  | LimitSetting<Name>
  | PercentileText
  | {
      [Option in keyof LimitOptions<Name>]?:
        | LimitOptions<Name>[Option]
        | (Option extends "max" ? PercentileText : undefined)
        | undefined;
    };

/** The settings of a governor, in which maximums may be percentiles. */
export type SettingsFromHistory = Omit<GovernorSettings, Choosable> & {
  readonly [Name in Exclude<Choosable, "tools">]?: LimitFromHistory<Name> | undefined;
} & {
  /** Calls of single tools, by their names. */
  readonly tools?: Readonly<Record<string, LimitFromHistory<"tools">>> | undefined;
};

/** A limit of settings whose maximum is a percentile. */
export interface WantedLimit extends Wanted {
  /** As it was written. */
  readonly text: string;
  /** What holds until it is chosen, and where that is not possible. */
  readonly otherwise: number;
}

/** A maximum, or a percentile in its place. */
export interface LimitMaximum {
  readonly identity: LimitIdentity;
  readonly max: Max | string;
}

/** The limits that are percentiles. Throws `InvalidLimit` for one that cannot be used. */
export function percentilesIn(settings: SettingsFromHistory): WantedLimit[] {
  return givenLimits(settings).flatMap(({ identity, given }) => wantedOf(identity, given) ?? []);
}

/** The settings with these maximums. */
export function withMaxima<Settings extends SettingsFromHistory>(
  settings: Settings,
  maxima: readonly LimitMaximum[],
): Settings & GovernorSettings {
  const changed: Record<string, unknown> = { ...settings };
  for (const { identity, max } of maxima) {
    const { kind, tool } = identity;
    if (tool === undefined) changed[kind] = withMax(changed[kind], max);
    else {
      const tools = Object.assign(Object.create(null), changed.tools);
      changed.tools = Object.assign(tools, { [tool]: withMax(tools[tool], max) });
    }
  }
  return changed as Settings & GovernorSettings;
}

/** The maximum that these settings have for a limit. */
export function maximumIn(settings: SettingsFromHistory, { kind, tool }: LimitIdentity): unknown {
  const given = Object(settings)[kind];
  return maxOf(tool === undefined ? given : Object(given)[tool]);
}

function withMax(given: unknown, max: Max | string): object {
  return isPlainObject(given) ? { ...given, max } : { max };
}

function maxOf(given: unknown): unknown {
  return isPlainObject(given) ? given.max : given;
}

interface GivenLimit {
  readonly identity: LimitIdentity;
  readonly given: unknown;
}

function givenLimits(settings: SettingsFromHistory): GivenLimit[] {
  return KIND_NAMES.filter((kind) => isOfRuns({ kind })).flatMap((kind): GivenLimit[] => {
    const given: unknown = settings[kind];
    if (kind !== "tools") return [{ identity: { kind }, given }];
    const tools = isPlainObject(given) ? Object.entries(given) : [];
    return tools.map(([tool, limit]) => ({ identity: { kind, tool }, given: limit }));
  });
}

function wantedOf(identity: LimitIdentity, given: unknown): WantedLimit | undefined {
  const text = maxOf(given);
  if (typeof text !== "string") return undefined;
  const amount = amountOf(identity);
  const refuse = (why: string) => {
    const setting = `${labelOf(identity)}.max`;
    const allowed = `a percentile such as "${PERCENTILE_EXAMPLE}"`;
    return new InvalidLimit(setting, text, allowed, `${setting} cannot be used. ${why}`);
  };
  const percentile = parsePercentile(text, amount);
  if (!percentile) {
    const why = whyNoPercentile(text, amount);
    if (why === undefined) return undefined;
    throw refuse(why);
  }
  const otherwise = maximumWithoutRuns(kindOf(identity)?.initial ?? "unlimited", percentile);
  // Where nothing holds until there are runs, nobody may be there to read it.
  if (otherwise === "unlimited")
    throw refuse(
      `"${text}" has no amount that holds until there are enough runs. Write "${withUpTo(percentile, amount)}".`,
    );
  return { identity, percentile, text, otherwise, ...(isPlainObject(given) && { options: { ...given } }) };
}
