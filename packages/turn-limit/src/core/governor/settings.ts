import { deepFreeze, flag, list, object, optional, record, text } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { isOwn } from "../limits/boundary.ts";
import { KINDS, type Kind, type KindName, type LimitOptions, type LimitSetting } from "../limits/kinds.ts";
import { type CheckedLimit, isGroup, isUnlimited, type Limit, requireLimit } from "../limits/limit.ts";

/** What the model is told in the tools-free turn, unless the host has a better text. */
export const DEFAULT_SYNTHESIS_MESSAGE =
  "Your budget for this task is used up, and you have no tools any more. Answer now, from what you have found " +
  "so far. Say what you know, what you could not find out, and what is left to do.";

/** The limits of a run, by their kinds. What is left out has its default: 25 turns, and no other limit. */
export type LimitSettings = {
  readonly [Name in Exclude<KindName, "tools">]?: LimitSetting<Name> | undefined;
} & {
  /** Calls of single tools, by their names. */
  readonly tools?: Readonly<Record<string, LimitSetting<"tools">>> | undefined;
};

/** Everything that can be set about a governor: one plain value. */
export type GovernorSettings = LimitSettings & {
  /** Limits of your own, alone or combined by `anyOf` and `allOf`. */
  readonly limits?: readonly Limit[] | undefined;
  /** What the model is told in the tools-free last turn. */
  readonly synthesisMessage?: string | undefined;
  /** Is there a person who can be asked at the boundary? Default: no, and `headless` is used instead. */
  readonly canAsk?: boolean | undefined;
};

/** The settings that hold, with the defaults filled in. `configure` takes them as they are, or with changes. */
export type CompleteSettings = {
  readonly [Name in Exclude<KindName, "tools">]: Readonly<LimitOptions<Name>>;
} & {
  readonly tools: Readonly<Record<string, Readonly<LimitOptions<"tools">>>>;
  readonly limits: readonly Limit[];
  readonly synthesisMessage: string;
  readonly canAsk: boolean;
};

export const KIND_NAMES = Object.keys(KINDS) as KindName[];

const kinds = Object.fromEntries(KIND_NAMES.map((name) => [name, (KINDS[name] as Kind).check]));

const complete = object({
  ...kinds,
  tools: optional(record(KINDS.tools.check), {}),
  limits: optional(list(requireLimit), []),
  synthesisMessage: optional(text, DEFAULT_SYNTHESIS_MESSAGE),
  canAsk: optional(flag, false),
});

/** Checks settings and fills in the defaults. The result is frozen. Throws `InvalidLimit` for a bad value. */
export function requireSettings(settings: unknown): CompleteSettings {
  return deepFreeze(complete(settings, "")) as unknown as CompleteSettings;
}

/** The limits of the settings, in the order in which they are reported, without those that limit nothing. */
export function limitsOf(settings: CompleteSettings): CheckedLimit[] {
  const builtIn = KIND_NAMES.flatMap((name): CheckedLimit[] => {
    if (name === "tools") {
      return Object.entries(settings.tools).map(([tool, options]) =>
        KINDS.tools.limit({ kind: "tools", tool }, options),
      );
    }
    return [(KINDS[name] as unknown as Kind).limit({ kind: name }, settings[name])];
  });
  const limits = [...builtIn, ...(settings.limits as readonly CheckedLimit[])].filter(
    // Turns are always counted, and shown.
    (limit) => (!isGroup(limit) && isOwn(limit.identity, "turns")) || !isUnlimited(limit),
  );
  const names = limits.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidLimit("limits", twice, "limits with names of their own");
  return limits;
}
