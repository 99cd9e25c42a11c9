import { limitAt, limitPer } from "../limits/limit-of.ts";
import { nameWithPeriod, PERIODS, type Period } from "../limits/periods.ts";
import { isFamily, type LimitFamily, type PiLimit, pathOf } from "../limits/pi-limit.ts";
import { boundaryStyle, limitTable } from "../limits/pi-limits.ts";
import type { Setting } from "../limits/setting.ts";
import { TELL, tellSetting } from "../limits/tell.ts";

/** What one source says: a part of {@link LimitValues}, with the same shape. */
export type Settings = { readonly [key: string]: Settings | string | number | boolean };

/** Where a setting is: `["turns", "max"]`, `["cost per day", "max"]`, `["tools", "bash", "max"]`, `["boundary"]`. */
export type Path = readonly string[];

/** A setting with its value. */
export type Entry = readonly [path: Path, value: unknown];

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every setting in an object of settings. */
export function entriesOf(settings: object, at: Path = []): Entry[] {
  return Object.entries(settings).flatMap(([key, value]): Entry[] =>
    isObject(value) && at.length < DEEPEST ? entriesOf(value, [...at, key]) : [[[...at, key], value]],
  );
}

// No setting has a longer path than `tools.bash.max`. A file may be nested as deeply as somebody likes.
const DEEPEST = 3;

/** The settings that these entries make; of two with the same path the last one counts. */
export function settingsFrom(entries: readonly Entry[]): Settings {
  const settings: Tree = {};
  for (const [path, value] of entries) {
    let at = settings;
    for (const key of path.slice(0, -1)) at = branchAt(at, key);
    define(at, path.at(-1) ?? "", value);
  }
  return settings as Settings;
}

type Tree = { [key: string]: unknown };

function branchAt(tree: Tree, key: string): Tree {
  const known = Object.hasOwn(tree, key) ? tree[key] : undefined;
  return isObject(known) ? known : define(tree, key, {});
}

// The name of a tool may be `__proto__`, which an assignment, the faster way, would not define.
function define<Value>(tree: Tree, key: string, value: Value): Value {
  if (key !== "__proto__") tree[key] = value;
  else Object.defineProperty(tree, key, { value, enumerable: true, writable: true, configurable: true });
  return value;
}

/** Several settings in one; the later ones win. */
export function merged(...weakestFirst: readonly Settings[]): Settings {
  return settingsFrom(weakestFirst.flatMap((settings) => entriesOf(settings)));
}

/** The value at this path, if there is one. */
export function valueAt(settings: Settings, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    settings,
  );
}

/** Where a setting of a limit is. */
export function pathTo(limit: PiLimit, setting: string): Path {
  return [...pathOf(limit), setting];
}

/** What is said about a limit, if anything. */
export function valueFor(settings: Settings, limit: PiLimit, setting = "max"): unknown {
  return valueAt(settings, pathTo(limit, setting));
}

/** The setting at this path and what it is called in messages, if there is such a setting. */
export function settingAt(path: Path): { setting: Setting; name: string } | undefined {
  if (path.join() === "boundary") return { setting: boundaryStyle, name: boundaryStyle.name("") };
  if (path.join() === TELL) return { setting: tellSetting, name: tellSetting.name("") };
  const limit = limitAt(path.slice(0, -1));
  if (limit === undefined) return undefined;
  const { settings, noun } = limit;
  const part = path.at(-1) ?? "";
  const setting = Object.hasOwn(settings, part) ? settings[part] : undefined;
  return setting && { setting, name: setting.name(noun) };
}

/** These settings, with the initial value of each that they leave out. */
export function completed(settings: Settings): Settings {
  const initial = limitsIn(settings).flatMap((limit) => initialEntries(limit));
  const all = merged(settingsFrom([...initial, ...OTHERS]), settings);
  const families = limitTable.filter(isFamily).map(({ key }) => [key, {}]);
  return { ...Object.fromEntries(families), ...all };
}

const OTHERS: readonly Entry[] = [
  [["boundary"], boundaryStyle.initial],
  [[TELL], tellSetting.initial],
];

/** Settings of a limit with their initial values. */
export function initialEntries(limit: PiLimit, names = Object.keys(limit.settings)): Entry[] {
  return names.map((name) => [pathTo(limit, name), limit.settings[name]?.initial]);
}

/** Every limit that can be shown: those of the table, of its families those that have settings, and with a period those that have a maximum. */
export function limitsIn(settings: Settings): PiLimit[] {
  return limitTable.flatMap((row) => {
    if (!isFamily(row)) return limitsOfKind(row, settings);
    return membersIn(row, settings);
  });
}

/** The limits of a family that have settings. */
export function membersIn({ key, member }: LimitFamily, settings: Settings): PiLimit[] {
  return Object.keys(settings[key] ?? {}).map((name) => member(name));
}

/** A limit, and those of its kind with a period that have a maximum. */
export function limitsOfKind(limit: PiLimit, settings: Settings): PiLimit[] {
  const isSet = (per: Period) => valueAt(settings, [nameWithPeriod(limit.key, per), "max"]) !== undefined;
  return [limit, ...PERIODS.filter(isSet).flatMap((per) => limitPer(limit, per) ?? [])];
}
