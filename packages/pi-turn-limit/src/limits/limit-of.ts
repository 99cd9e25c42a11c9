import type { LimitIdentity } from "turn-limit";
import {
  freezeGate,
  frozenSession,
  type RefusedIdentity,
  refusedLimit,
  stoppedSession,
  storeGate,
  unknownLimit,
} from "./other-boundaries.ts";
import { nameWithPeriod, nowIn, PERIODS, type Period, periodCalled, perText, startsOver } from "./periods.ts";
import { isFamily, type PiLimit, PLAN_KEY } from "./pi-limit.ts";
import { limitTable } from "./pi-limits.ts";
import type { Setting } from "./setting.ts";

/** A limit where it stands. What was written by another version may not say what it is. */
export interface NamedLimit {
  readonly limit: string;
  readonly identity?: LimitIdentity | undefined;
}

/** The limit that the core speaks of. */
export function limitOf({ limit, identity }: NamedLimit): PiLimit {
  if (!identity) return unknownLimit(limit);
  const { kind, tool, pool, per } = identity;
  if ("sources" in identity) return refusedLimit(limit, identity as RefusedIdentity);
  if (kind === "store") return storeGate(limit);
  if (kind === "stop") return stoppedSession(limit);
  if (kind === "freeze") return pool === undefined ? frozenSession(limit) : freezeGate(limit, pool);
  if (kind === PLAN_KEY) return limitAt([kind, per ?? ""]) ?? unknownLimit(limit);
  const period = periodCalled(per);
  const key = period === undefined ? kind : nameWithPeriod(kind, period);
  const known = limitAt([key, ...(tool === undefined ? [] : [tool])]);
  if (!known) return unknownLimit(limit);
  // The limit of another session that this one draws from, too: in the words of that limit.
  return pool === undefined ? known : { ...known, hidden: "always" };
}

/** The limit whose settings are there: `["tokens"]`, `["tools", "bash"]`, `["cost per day"]`. Nothing if there is none. */
export function limitAt([key = "", member, ...rest]: readonly string[]): PiLimit | undefined {
  if (rest.length > 0) return undefined;
  for (const row of limitTable) {
    if (isFamily(row) && row.key === key)
      return member === undefined || row.whyNoMember?.(member) ? undefined : row.member(member);
    if (isFamily(row) || member !== undefined) continue;
    if (row.key === key) return row;
    const per = PERIODS.find((period) => nameWithPeriod(row.key, period) === key);
    if (per) return limitPer(row, per);
  }
  return undefined;
}

/** A limit and, where it can have one, the same limit for each period. */
export function withPeriods(limit: PiLimit): PiLimit[] {
  return [limit, ...PERIODS.flatMap((per) => limitPer(limit, per) ?? [])];
}

/** The same kind of limit for a period: `cost per day`. Nothing if it can only hold for a prompt. */
export function limitPer(limit: PiLimit, per: Period): PiLimit | undefined {
  const { spent, reached: _reached, exceeded: _exceeded, ...words } = limit;
  if (spent === undefined || limit.per !== undefined) return undefined;
  return {
    ...words,
    kind: limit.key,
    per,
    ofOneRun: Object.keys(limit.settings).filter((name) => limit.settings[name]?.isOfOneRun),
    key: nameWithPeriod(limit.key, per),
    label: `${limit.label} ${nowIn(per)}`,
    rowLabel: `${limit.label} ${perText(per)}`,
    settings: settingsPer(limit.settings, per),
    example: [`${limit.example[0]} ${perText(per)}`, "stop"],
    suggestions: [],
    asked: (used, max, who) => `${spent(used, max, who)} ${nowIn(per)}.`,
    // What one run used says nothing about a period.
    total: () => 0,
  };
}

function settingsPer({ max, ...others }: PiLimit["settings"], per: Period): PiLimit["settings"] {
  const lasting = Object.entries(others).filter(([, { isOfOneRun }]) => !isOfOneRun);
  const inPeriod = (setting: Setting) => (startsOver(per) && setting.ofStartingOver) || setting;
  return {
    max: { ...named(max.fixed ?? max, per), initial: "unlimited" },
    ...Object.fromEntries(lasting.map(([name, setting]) => [name, named(inPeriod(setting), per)])),
  };
}

function named<S extends Setting>(setting: S, per: Period): S {
  return { ...setting, name: (noun: string) => `${setting.name(noun)} ${perText(per)}` };
}
