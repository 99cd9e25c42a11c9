import type { ExtensionAPI, ExtensionContext, SessionTreeEvent } from "@earendil-works/pi-coding-agent";
import { capitalised } from "../core.ts";
import type { RefusedSource } from "../limits/other-boundaries.ts";
import { LIMITS_COMMAND } from "../limits/own-commands.ts";
import type { PeriodLimit } from "../limits/periods.ts";
import { type PiLimit, pathOf, titleOf } from "../limits/pi-limit.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { DEFAULT, describeLimit, formatLimit } from "./format-limit.ts";
import { limitsPerPrompt, periodLimitsIn, subAgentDefaults } from "./governor-settings.ts";
import { type KnownTools, whyNoTool } from "./member-text.ts";
import { withoutEffect } from "./problems.ts";
import { COMMAND_ENTRY, type SetByCommands, saidIn, saidNow, setBy } from "./set-by-commands.ts";
import {
  completed,
  limitsIn,
  merged,
  type Path,
  pathTo,
  type Settings,
  settingsFrom,
  valueAt,
  valueFor,
} from "./settings.ts";
import {
  BUILT_IN,
  type Configuration,
  isSettled,
  type RefusedLimit,
  resolve,
  type Source,
} from "./sources.ts";

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
 * of the point gone back to, `/tree`. The last word counts: a flag or a variable with which Pi was started
 * wins over a command that was given before that.
 */
export class LimitsInForce {
  readonly #pi: ExtensionAPI;
  #limited: Limited | undefined;
  #configured: readonly Source[] = [];
  #refused: readonly RefusedLimit[] = [];
  #said: readonly unknown[] = [];
  #set: SetByCommands = { now: {}, earlier: {} };
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
    this.#values ??= completed(merged(...this.#sources.toReversed().map(({ settings }) => settings)));
    return this.#values;
  }

  /** Where a value came from, in words; a command is named by `command`. */
  sourceOf(path: Path, command = LIMITS_COMMAND): string {
    const source = this.#sources.find(({ settings }) => valueAt(settings, path) !== undefined);
    if (source?.isCommand) return `/${command} in this session`;
    const refused = this.#refused.find(
      ({ limits }) =>
        limits.length === 1 && limits[0] && pathTo(limits[0], "max").join(".") === path.join("."),
    );
    if (refused) return `${refused.source} was refused`;
    return source?.name ?? BUILT_IN;
  }

  /** Every source, the strongest first. */
  get #sources(): readonly (Source & { readonly isCommand?: true })[] {
    const byCommand = (settings: Settings) => ({ name: "a command", settings, isCommand: true as const });
    const ofStart = this.#configured.filter(({ isOfStart }) => isOfStart);
    const ofFiles = this.#configured.filter(({ isOfStart }) => !isOfStart);
    return [byCommand(this.#set.now), ...ofStart, byCommand(this.#set.earlier), ...ofFiles];
  }

  /** Which limits of earlier commands no longer hold, in sentences for the person. */
  get #overruled(): string[] {
    const { now, earlier } = this.#set;
    const isOverruled = (limit: PiLimit) =>
      Object.keys(limit.settings).some((name) => {
        const before = valueFor(earlier, limit, name);
        const isNew = valueFor(now, limit, name) !== undefined;
        return before !== undefined && !isNew && before !== valueFor(this.values, limit, name);
      });
    return limitsIn(this.values)
      .filter(isOverruled)
      .map((limit) => {
        const { command = LIMITS_COMMAND } = limit;
        const holds = describeLimit(limit, this.values, (path) => this.sourceOf(path, command));
        const before = formatLimit(limit, merged(this.values, earlier));
        return `${capitalised(titleOf(limit))}: ${holds}, not ${before} as set earlier in this session. To change it, use /${command}.`;
      });
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
    return [...problems, ...this.#overruled, ...withoutEffect(this.values)];
  }

  /** Which limits are of tools that there are not, in sentences for the person. */
  ofUnknownTools({ names, isEvery }: KnownTools): string[] {
    return limitsIn(this.values).flatMap((limit) => {
      const { member: tool } = limit;
      const why = tool === undefined ? undefined : whyNoTool(tool, { names, isEvery });
      if (why === undefined) return [];
      const source = this.sourceOf(pathTo(limit, "max"), limit.command);
      return [`The ${titleOf(limit)} (${source}) limits nothing: ${why}`];
    });
  }

  /** The session stands at another point: takes what commands had set up to there. */
  recall(ctx: ExtensionContext): void {
    this.#said = saidIn(ctx.sessionManager.getBranch());
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
    this.#say(saidNow(settings));
  }

  /** A command takes back what commands have set for a limit: what is configured holds again. */
  takeBack(limit: PiLimit): void {
    this.#say(saidNow(settingsFrom([[pathOf(limit), DEFAULT]])));
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
    for (const data of said) this.#pi.appendEntry(COMMAND_ENTRY, data);
    this.#said = [...this.#said, ...said];
    this.#applyAll();
  }

  // What a command sets stands in for what cannot be used.
  #applyAll(): void {
    this.#values = undefined;
    this.#set = setBy(this.#said);
    const { now, earlier } = this.#set;
    const refused = this.#refused.filter((refused) => !isSettled(refused, merged(earlier, now)));
    const bySource = new Map(refused.map(({ source, command }) => [source, { source, command }]));
    this.#limited?.apply({
      values: limitsPerPrompt(this.values),
      refused: [...bySource.values()],
      periodLimits: periodLimitsIn(this.values),
      grace: () => this.#offeredGrace,
    });
  }
}
