import { homedir } from "node:os";
import { sep } from "node:path";
import type { Max } from "turn-limit";
import { isOwn, isPercentile } from "../../core.ts";
import { identityOf, isFamily, type PiLimit } from "../../limits/pi-limit.ts";
import { limitTable } from "../../limits/pi-limits.ts";
import { examplesText, formatLimit, formatPolicy, HELP, helpText } from "../../settings/format-limit.ts";
import { parseWholeLimit, refusalInSession, takenBackBy } from "../../settings/limit-text.ts";
import type { LimitsInForce } from "../../settings/limits-in-force.ts";
import { type KnownTools, memberIn, refusalOfName } from "../../settings/member-text.ts";
import { userSettingsFile } from "../../settings/pi-folders.ts";
import { limitsIn, pathTo, type Settings, valueAt, valueFor } from "../../settings/settings.ts";
import { saveLimit } from "../../settings/write-settings-file.ts";
import { maxOfText, type Standing, usedText } from "../limit-words.ts";
import { shareOf } from "../share.ts";
import type { Standings } from "../standings.ts";

/** A limit as the panel shows it. */
export interface LimitRow {
  /** For example `turns` or `tools.bash`. */
  readonly key: string;
  /** Is it no limit, but the place where one is added? It can only be edited. */
  readonly isOffer?: true;
  /** Is it no limit, but something else that is set? `isOff`: to nothing. */
  readonly isSwitch?: true;
  readonly isOff?: boolean;
  /** For example `Turns` or `bash calls`. */
  readonly label: string;
  /** For example `182k`. */
  readonly used: string;
  /** For example `200k`, or `∞`. */
  readonly max: string;
  /** See `shareOf`. */
  readonly share: number | undefined;
  /** Where it came from, for example `default` or `your settings`, and the file that this is, if it is one. */
  readonly source: string;
  readonly file: string;
  /** What happens at the limit, for example `synthesize`, or nothing. */
  readonly policy: string;
  /** What agents below the session took of it, under the row. */
  readonly agents: readonly { readonly name: string; readonly used: string }[];
  /** What editing starts with, for example `25 grace 3`. */
  readonly text: string;
  /** A few texts that are accepted, and line by line all that can be said. */
  readonly examples: string;
  readonly help: readonly string[];
  /** Sets what a text says. */
  set(text: string): SetByText;
  /** Saves the limit for other sessions, and says whether and where. */
  save(): { readonly isSaved: boolean; readonly text: string };
}

/** What came of a text: the rows that it set, by their keys, or why it was refused and nothing was changed. */
export type SetByText =
  | { readonly rows: readonly string[]; readonly refusal?: undefined }
  | { readonly refusal: string };

type LimitsShown = Pick<
  LimitsInForce,
  "values" | "wanted" | "placeOf" | "choose" | "chooseAgain" | "isChoosing" | "takeBack" | "saved"
>;
type SessionShown = Pick<Standings, "standings" | "totals" | "agents">;

const NOT_CHOSEN_YET =
  "It is not set yet: your runs are still being read, from which it is chosen. Save it when it is shown.";

/** Every limit as `/limits` shows it, and how it is changed there; `changed` is called when it was. */
export function limitRows(limits: LimitsShown, session: SessionShown, changed: () => void): LimitRow[] {
  return limitsIn(limits.values).map((limit) => rowOf(limit, limits, session, changed));
}

/** Where the panel has a limit added that is not there yet: for each family a row that takes the name, too. */
export function offerRows(limits: LimitsShown, tools: () => KnownTools, changed: () => void): LimitRow[] {
  return limitTable.filter(isFamily).map((family) => {
    const { key, noun, offered = noun, example } = family;
    const one = family.member(example);
    const [max, following] = one.example;
    return {
      key,
      isOffer: true,
      label: `Add a ${offered}`,
      ...{ used: "", max: "", share: undefined, source: "", file: "", policy: "", agents: [], text: "" },
      examples: `For example ${example} ${max}, or ${example} ${max} ${following}. ${HELP} shows all that can be said.`,
      help: [`The name of a ${noun}, and then:`, ...helpText(one)],
      set: (given) => {
        const { limit, said } = memberIn(family, given);
        const refusal = refusalOfName(family, limit, tools());
        return refusal === undefined ? set(limit, said, limits, changed) : { refusal };
      },
      save: () => ({ isSaved: false, text: "" }),
    };
  });
}

/** Where a limit stands, whether it has a maximum or not. */
export function standingOf(limit: PiLimit, { standings, totals }: SessionShown, values: Settings): Standing {
  const { key, total, per } = limit;
  const standing = standings.find(({ limit }) => limit === key);
  // A limit for a period holds also while no run is counted.
  const max = per === undefined ? "unlimited" : (valueAt(values, [key, "max"]) as Max);
  return standing ?? { limit: key, identity: identityOf(limit), used: totals ? total(totals) : 0, max };
}

function rowOf(limit: PiLimit, limits: LimitsShown, session: SessionShown, changed: () => void): LimitRow {
  const standing = standingOf(limit, session, limits.values);
  const text = formatLimit(limit, limits.wanted);
  const { name, file = "" } = limits.placeOf(pathTo(limit, "max"), limit.command);
  const percentile = valueFor(limits.wanted, limit);
  return {
    key: limit.key,
    label: limit.rowLabel ?? limit.label,
    used: usedText(standing),
    max: maxOfText(standing),
    share: shareOf(standing),
    source: isPercentile(percentile) ? `${percentile}, ${name}` : name,
    file: shortPath(file),
    policy: formatPolicy(limit, limits.values),
    agents: agentsOf(standing, session),
    text,
    examples: examplesText(limit),
    help: helpText(limit),
    set: (given) => set(limit, given, limits, changed),
    save: () => {
      if (limits.isChoosing(limit)) return { isSaved: false, text: NOT_CHOSEN_YET };
      const file = userSettingsFile();
      const problem = saveLimit(file, limit, limits.wanted);
      if (problem === undefined) limits.saved(parseWholeLimit(limit, text) ?? {});
      const saved = `Saved to your settings, ${shortPath(file)}. They hold in new sessions.`;
      return { isSaved: problem === undefined, text: problem ?? saved };
    },
  };
}

/** The whole name of where a limit came from. */
export function originOf({ source, file }: LimitRow): string {
  return [source, file].filter((part) => part !== "").join(", ");
}

/** Sets a limit as a text says, or says why not. */
function set(limit: PiLimit, given: string, limits: LimitsShown, changed: () => void): SetByText {
  const settings = parseWholeLimit(limit, given);
  const takenBack = takenBackBy(limit, given);
  let set = settings ? saidIn(settings) : [];
  if (takenBack) {
    limits.takeBack(takenBack);
    // It may have no row any more.
    set = [];
  } else if (settings && hasPercentile(settings)) {
    const shown = limitsIn(limits.values).map(({ key }) => key);
    // The panel is drawn again when it is known.
    void limits.chooseAgain(settings).then(() => {
      limits.choose(settings);
      changed();
    });
    // Others get their row only then.
    set = set.filter(({ key }) => shown.includes(key));
  } else if (settings) limits.choose(settings);
  else return { refusal: `${refusalInSession(limit, given)}` };
  changed();
  return { rows: set.map(({ key }) => key) };
}

/** The limits that settings say a maximum of. */
function saidIn(settings: Settings): PiLimit[] {
  return limitsIn(settings).filter((limit) => valueFor(settings, limit) !== undefined);
}

function hasPercentile(settings: Settings): boolean {
  return saidIn(settings).some((limit) => isPercentile(valueFor(settings, limit)));
}

function agentsOf(standing: Standing, { agents }: SessionShown): LimitRow["agents"] {
  const { identity, max } = standing;
  const drawn = (["tokens", "cost"] as const).find((kind) => isOwn(identity, kind));
  if (!drawn || max === "unlimited") return [];
  return agents.map((agent) => ({
    name: agent.name,
    used: usedText({ ...standing, used: agent[drawn] }),
  }));
}

function shortPath(source: string): string {
  return source.replace(`${homedir()}${sep}`, `~${sep}`);
}
