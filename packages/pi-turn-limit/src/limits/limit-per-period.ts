import { nameWithPeriod, nowIn, type Period, perText } from "./periods.ts";
import type { PiLimit } from "./pi-limits.ts";
import type { Setting } from "./setting.ts";

/** The same kind of limit for a period: `cost per day`. Nothing if it can only hold for a prompt. */
export function limitPer(limit: PiLimit, per: Period): PiLimit | undefined {
  const { spent, reached: _reached, exceeded: _exceeded, ...words } = limit;
  if (spent === undefined || limit.per !== undefined) return undefined;
  const first = limit.example.split(" ")[0];
  return {
    ...words,
    kind: limit.key,
    per,
    ofOneRun: Object.keys(limit.settings).filter((name) => limit.settings[name]?.isOfOneRun),
    key: nameWithPeriod(limit.key, per),
    label: `${limit.label} ${nowIn(per)}`,
    rowLabel: `${limit.label} ${perText(per)}`,
    title: `${limit.noun} limit ${perText(per)}`,
    settings: settingsPer(limit.settings, per),
    example: `${first} ${perText(per)} stop`,
    suggestions: [],
    asked: (used, max) => `${spent(used, max)} ${nowIn(per)}.`,
    // What one run used says nothing about a period.
    total: () => 0,
  };
}

function settingsPer({ max, ...others }: PiLimit["settings"], per: Period): PiLimit["settings"] {
  const lasting = Object.entries(others).filter(([, { isOfOneRun }]) => !isOfOneRun);
  return {
    max: { ...named(max, per), initial: "unlimited" },
    ...Object.fromEntries(lasting.map(([name, setting]) => [name, named(setting, per)])),
  };
}

function named<S extends Setting>(setting: S, per: Period): S {
  return { ...setting, name: (noun: string) => `${setting.name(noun)} ${perText(per)}` };
}
