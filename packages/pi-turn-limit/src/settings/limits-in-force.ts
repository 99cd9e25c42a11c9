import type { ExtensionAPI, ExtensionContext, SessionTreeEvent } from "@earendil-works/pi-coding-agent";
import type { Max, Tell } from "turn-limit";
import { capitalised, isPercentile, type PastRun } from "../core.ts";
import { limitAt } from "../limits/limit-of.ts";
import type { RefusedSource } from "../limits/other-boundaries.ts";
import { LIMITS_COMMAND } from "../limits/own-commands.ts";
import type { PeriodLimit } from "../limits/periods.ts";
import { type PiLimit, pathOf, titleOf } from "../limits/pi-limit.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { TELL, toldBy } from "../limits/tell.ts";
import { ChosenMaxima } from "./chosen-maxima.ts";
import { DEFAULT, describeLimit, formatLimit, formatPolicy } from "./format-limit.ts";
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
  type SourceName,
  sourceText,
} from "./sources.ts";

/** The limits of a session, as its settings say. */
export interface LimitsOfSession {
  /** Those for a prompt. */
  readonly values: LimitValues;
  /** Where limits were set that cannot be used. */
  readonly refused: readonly RefusedSource[];
  readonly periodLimits: readonly PeriodLimit[];
  /** When the model is told what it has left. */
  readonly tell: Tell;
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
  #wanted: Settings | undefined;
  #values: Settings | undefined;
  #offeredGrace: number | undefined;
  #ownTell: Tell | undefined;
  readonly #chosen: ChosenMaxima;
  readonly #choosing = new Set<Settings>();

  /** `pastRuns`: what the person's own runs took, read when a limit is to be chosen from it. */
  constructor(pi: ExtensionAPI, pastRuns: () => Promise<readonly PastRun[]> = async () => []) {
    this.#pi = pi;
    this.#chosen = new ChosenMaxima(pi, pastRuns);
  }

  /** Another extension wants the wrap-up earlier or later. The latest offer counts. */
  offerGrace(grace: unknown): void {
    if (typeof grace === "number") this.#offeredGrace = grace;
  }

  /** The settings in use, those of limits with a period included. A percentile is the number that was chosen. */
  get values(): Settings {
    this.#values ??= this.#chosen.resolved(this.wanted, (limit) => this.#withoutRuns(limit));
    return this.#values;
  }

  /** The same as it was said: a percentile is `p90`. */
  get wanted(): Settings {
    this.#wanted ??= this.#completedSources;
    return this.#wanted;
  }

  get #completedSources(): Settings {
    const [strongest, ...others] = this.#sources.filter(({ settings }) => Object.keys(settings).length > 0);
    // Most sessions begin so, and there is nothing to put together.
    if (strongest?.name === BUILT_IN && others.length === 0) return strongest.settings;
    return completed(merged(...this.#sources.toReversed().map(({ settings }) => settings)));
  }

  #withoutRuns(limit: PiLimit): Max {
    const source = this.#sourceWithoutRuns(limit);
    return ((source && valueFor(source.settings, limit)) as Max | undefined) ?? limit.settings.max.initial;
  }

  // The next one in line that says a number.
  #sourceWithoutRuns(limit: PiLimit): Source | undefined {
    return this.#sources.find(({ settings }) => {
      const value = valueFor(settings, limit);
      return value !== undefined && !isPercentile(value);
    });
  }

  /** Is a limit still to be chosen from what the person's runs took? */
  get isChoiceOpen(): boolean {
    return this.#chosen.open(this.wanted).length > 0;
  }

  /** Chooses what is still to be chosen. Returns what was, in sentences for the person. */
  async chooseOpen(): Promise<string[]> {
    const open = this.#chosen.open(this.wanted);
    if (open.length === 0) return [];
    await this.#chosen.choose(open, this.wanted);
    this.#applyAll();
    return open.map((limit) => this.setText(limit));
  }

  /** What is to be chosen of these settings is chosen, also where it was before: they are set again. */
  async chooseAgain(settings: Settings): Promise<void> {
    this.#choosing.add(settings);
    try {
      await this.#chosen.choose(limitsIn(settings), merged(this.wanted, settings));
    } finally {
      this.#choosing.delete(settings);
    }
  }

  /** Was a limit said by a percentile for which the runs are still being read? */
  isChoosing(limit: PiLimit): boolean {
    return [...this.#choosing].some((settings) => valueFor(settings, limit) !== undefined);
  }

  /** What a person reads when it was set: `Turn limit set to 34 (p90 of your last 120 runs).` `limits`: those of its kind. */
  setText(limit: PiLimit, limits: readonly PiLimit[] = [limit]): string {
    const isTooFew = (limit: PiLimit) => this.#chosen.hadTooFewRuns(this.wanted, limit);
    const set = limits.filter((limit) => !isTooFew(limit));
    const amounts = set.map((limit) => this.#amountOf(limit)).join(", ");
    return [
      ...(set.length > 0 ? [`${capitalised(titleOf(limit))} set to ${amounts}.`] : []),
      ...limits.filter(isTooFew).map((limit) => this.#notChosenText(limit)),
    ].join(" ");
  }

  // What holds is no choice, and must not read like one.
  #notChosenText(limit: PiLimit): string {
    const max = valueFor(this.values, limit) as Max;
    const source = this.#sourceWithoutRuns(limit);
    const isCapped = max !== this.#withoutRuns(limit);
    const amount = limit.settings.max.inText.format(max);
    const rest = formatPolicy(limit, this.values);
    const isDefault = !isCapped && (source === undefined || source.name === BUILT_IN);
    const from = isCapped ? String(valueFor(this.wanted, limit)) : sourceText(source ?? { name: BUILT_IN });
    const why = `${capitalised(titleOf(limit))} not chosen: ${this.#chosen.saidOf(this.wanted, limit)}.`;
    const holds = isDefault ? `The default holds: ${amount}` : `What holds instead: ${amount} (${from})`;
    return `${why} ${holds}${rest === "" ? "" : `, with ${rest}`}.`;
  }

  // As it holds, with what it was chosen by: `34 (p90 of your last 120 runs)`.
  #amountOf(limit: PiLimit): string {
    const said = this.#chosen.saidOf(this.wanted, limit);
    const amount = formatLimit(limit, this.values);
    return said === undefined ? amount : `${amount} (${said})`;
  }

  /** Where a value came from, in words; a command is named by `command`. */
  sourceOf(path: Path, command = LIMITS_COMMAND): string {
    const limit = path.at(-1) === "max" ? limitAt(path.slice(0, -1)) : undefined;
    const said = limit && this.#chosen.saidOf(this.wanted, limit);
    const source = sourceText(this.placeOf(path, command));
    if (said === undefined) return source;
    return `${limit && this.#chosen.hadTooFewRuns(this.wanted, limit) ? "not chosen: " : ""}${said}; ${source}`;
  }

  /** The same, with the file apart. */
  placeOf(path: Path, command = LIMITS_COMMAND): SourceName {
    const source = this.#sources.find(({ settings }) => valueAt(settings, path) !== undefined);
    if (source?.isCommand) return { name: `/${command} in this session` };
    const refused = this.#refused.find(
      ({ limits }) =>
        limits.length === 1 && limits[0] && pathTo(limits[0], "max").join(".") === path.join("."),
    );
    if (refused) return { name: `${refused.source} was refused` };
    return source ?? { name: BUILT_IN };
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
        return before !== undefined && !isNew && before !== valueFor(this.wanted, limit, name);
      });
    return limitsIn(this.values)
      .filter(isOverruled)
      .map((limit) => {
        const { command = LIMITS_COMMAND } = limit;
        const holds = describeLimit(limit, this.values, (path) => this.sourceOf(path, command));
        const before = formatLimit(limit, merged(this.wanted, earlier));
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
    const forSubAgents = () => ({ name: "default for sub-agents", settings: subAgentDefaults() });
    this.#configured = isSubAgent ? sources.toSpliced(-1, 0, forSubAgents()) : sources;
    this.#refused = refused;
    this.#ownTell = configuration.tell;
    this.recall(ctx);
    return [...problems, ...this.#overruled, ...withoutEffect(this.values)];
  }

  /** Which limits are of tools that there are not, in sentences for the person. */
  ofUnknownTools(tools: () => KnownTools): string[] {
    return limitsIn(this.values).flatMap((limit) => {
      const { member: tool, kind } = limit;
      if (kind !== "tools") return [];
      const why = tool === undefined ? undefined : whyNoTool(tool, tools());
      if (why === undefined) return [];
      const source = this.sourceOf(pathTo(limit, "max"), limit.command);
      return [`The ${titleOf(limit)} (${source}) limits nothing: ${why}`];
    });
  }

  /** The session stands at another point: takes what commands had set up to there. */
  recall(ctx: ExtensionContext): void {
    const branch = ctx.sessionManager.getBranch();
    this.#said = saidIn(branch);
    this.#chosen.recall(branch);
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
    this.takeBackAt(pathOf(limit));
  }

  /** The same for what is at this path. */
  takeBackAt(path: Path): void {
    this.#say(saidNow(settingsFrom([[path, DEFAULT]])));
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
    this.#wanted = undefined;
    this.#values = undefined;
    this.#set = setBy(this.#said);
    const { now, earlier } = this.#set;
    const refused = this.#refused.filter((refused) => !isSettled(refused, merged(earlier, now)));
    const bySource = new Map(refused.map(({ source, command }) => [source, { source, command }]));
    this.#limited?.apply({
      values: limitsPerPrompt(this.values),
      refused: [...bySource.values()],
      periodLimits: periodLimitsIn(this.values),
      tell: toldBy(valueAt(this.values, [TELL]), this.#ownTell),
      grace: () => this.#offeredGrace,
    });
  }
}
