import type {
  CustomEntry,
  ExtensionAPI,
  ExtensionContext,
  SessionEntry,
  SessionTreeEvent,
} from "@earendil-works/pi-coding-agent";
import type { RefusedSource } from "../limits/other-boundaries.ts";
import { LIMITS_COMMAND } from "../limits/own-commands.ts";
import type { PeriodLimit } from "../limits/periods.ts";
import { type PiLimit, pathOf } from "../limits/pi-limit.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { DEFAULT } from "./format-limit.ts";
import { limitsPerPrompt, periodLimitsIn, subAgentDefaults } from "./governor-settings.ts";
import { withoutEffect } from "./problems.ts";
import {
  completed,
  type Entry,
  entriesOf,
  isObject,
  merged,
  type Path,
  pathTo,
  type Settings,
  settingAt,
  settingsFrom,
  valueAt,
} from "./settings.ts";
import {
  BUILT_IN,
  type Configuration,
  isSettled,
  type RefusedLimit,
  resolve,
  type Source,
} from "./sources.ts";

const ENTRY = "turn-limit:set";

/** The limits of a session, as its settings say. */
export interface LimitsOfSession {
  /** Those for a prompt. */
  readonly values: LimitValues;
  /** Where limits were set that cannot be used. */
  readonly refused: readonly RefusedSource[];
  readonly periodLimits: readonly PeriodLimit[];
  /** When another extension wants the wrap-up, if one does. */
  grace(): number | undefined;
}

/** What the limits hold for. */
export interface Limited {
  /** Other limits hold from now on. */
  apply(limits: LimitsOfSession): void;
}

/**
 * The limits of the current session: what is configured, unless a command said otherwise. What a
 * command sets is kept as a session entry, so that it survives `/reload`, `/resume`, `/fork` and, as
 * of the point gone back to, `/tree`.
 */
export class LimitsInForce {
  readonly #pi: ExtensionAPI;
  #limited: Limited | undefined;
  #configured: readonly Source[] = [];
  #refused: readonly RefusedLimit[] = [];
  #chosen: Settings = {};
  #values: Settings | undefined;
  #offeredGrace: number | undefined;

  constructor(pi: ExtensionAPI) {
    this.#pi = pi;
  }

  /** Another extension wants the wrap-up earlier or later. The latest offer counts. */
  offerGrace(grace: unknown): void {
    if (typeof grace === "number") this.#offeredGrace = grace;
  }

  /** The settings in use, those of limits with a period included. */
  get values(): Settings {
    const weakestFirst = this.#configured.toReversed().map(({ settings }) => settings);
    this.#values ??= completed(merged(...weakestFirst, this.#chosen));
    return this.#values;
  }

  /** Where a value came from, in words; a command is named by `command`. */
  sourceOf(path: Path, command = LIMITS_COMMAND): string {
    if (valueAt(this.#chosen, path) !== undefined) return `/${command} in this session`;
    const refused = this.#refused.find(
      ({ limits }) =>
        limits.length === 1 && limits[0] && pathTo(limits[0], "max").join(".") === path.join("."),
    );
    if (refused) return `${refused.source} was refused`;
    return this.#configured.find(({ settings }) => valueAt(settings, path) !== undefined)?.name ?? BUILT_IN;
  }

  /** A session starts: takes what is configured and returns what was refused, or has no effect. */
  configure(
    limited: Limited,
    ctx: ExtensionContext,
    configuration: Configuration,
    { isSubAgent = false } = {},
  ): readonly string[] {
    this.#limited = limited;
    const { sources, problems, refused } = resolve(configuration);
    const forSubAgents = { name: "default for sub-agents", settings: subAgentDefaults() };
    this.#configured = isSubAgent ? sources.toSpliced(-1, 0, forSubAgents) : sources;
    this.#refused = refused;
    this.recall(ctx);
    return [...problems, ...withoutEffect(this.values)];
  }

  /** The session stands at another point: takes what commands had set up to there. */
  recall(ctx: ExtensionContext): void {
    this.#chosen = saidIn(ctx.sessionManager.getBranch()).reduce(after, {});
    this.#applyAll();
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
    const saidHere = saidIn(end < 0 ? below : below.slice(0, end));
    this.recall(ctx);
    if (saidHere.length > 0) this.#say(...saidHere);
  }

  /** A command sets limits for the rest of the session. */
  choose(settings: Settings): void {
    this.#say(settings);
  }

  /** A command takes back what commands have set for a limit: what is configured holds again. */
  takeBack(limit: PiLimit): void {
    this.#say(settingsFrom([[pathOf(limit), DEFAULT]]));
  }

  /** A limit was written into the person's own file: it counts as theirs from now on. */
  saved(settings: Settings): void {
    this.#configured = this.#configured.map((source) =>
      source.isYours ? { ...source, settings: merged(source.settings, settings) } : source,
    );
    this.#refused = this.#refused.filter((refused) => !isSettled(refused, settings));
    this.#applyAll();
  }

  // Applied once: what a limit was in between must not start its counter over.
  #say(...said: readonly unknown[]): void {
    for (const data of said) this.#pi.appendEntry(ENTRY, data);
    this.#chosen = said.reduce<Settings>(after, this.#chosen);
    this.#applyAll();
  }

  // What a command sets stands in for what cannot be used.
  #applyAll(): void {
    this.#values = undefined;
    const refused = this.#refused.filter((refused) => !isSettled(refused, this.#chosen));
    const bySource = new Map(refused.map(({ source, command }) => [source, { source, command }]));
    this.#limited?.apply({
      values: limitsPerPrompt(this.values),
      refused: [...bySource.values()],
      periodLimits: periodLimitsIn(this.values),
      grace: () => this.#offeredGrace,
    });
  }
}

/** What commands said in these entries. */
function saidIn(entries: readonly SessionEntry[]): unknown[] {
  const said = entries.filter((entry) => entry.type === "custom" && entry.customType === ENTRY);
  return said.map((entry) => (entry as CustomEntry).data);
}

/** What commands have set after one more has said something; the last word counts. */
function after(chosen: Settings, data: unknown): Settings {
  // The word stands in place of a limit. Versions up to 0.1.0 leave it out.
  const takenBack = isObject(data) ? entriesOf(data).filter(([, value]) => value === DEFAULT) : [];
  const kept = entriesOf(chosen).filter(
    ([path]) => !takenBack.some(([limit]) => limit.every((key, index) => key === path[index])),
  );
  return merged(settingsFrom(kept), entrySettings(data));
}

/**
 * The settings in a session entry. A session file can be edited by anyone, so what is not valid is left out. Versions
 * up to 0.1.0 wrote other keys: `turns`, `grace`, `steps`, `tokens.max`, `tools.bash`.
 */
export function entrySettings(data: unknown): Settings {
  if (!isObject(data)) return {};
  const entries = Object.entries(data).flatMap(([key, value]): Entry[] => {
    const path = pathSaidBy(key);
    return isObject(value) ? entriesOf(value, path) : [[path, value]];
  });
  const known = entries.map(([path, value]): Entry => [withMax(path), value]);
  return settingsFrom(known.filter(([path, value]) => settingAt(path)?.setting.isValid(value)));
}

function pathSaidBy(key: string): Path {
  if (key === "grace") return ["turns", "grace"];
  const dot = key.indexOf(".");
  return dot < 0 ? [key] : [key.slice(0, dot), key.slice(dot + 1)];
}

/** A limit without the name of a setting is its maximum. */
function withMax(path: Path): Path {
  return settingAt([...path, "max"]) ? [...path, "max"] : path;
}
