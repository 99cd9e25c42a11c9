import { anyFunction, check, deepFreeze, flag, list, object, optional, record, text } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import type { Kind } from "../limits/kind.ts";
import { KINDS, type KindName, type LimitOptions, type LimitSetting } from "../limits/kinds.ts";
import { DEFAULT_SYNTHESIS_MESSAGE } from "../limits/last-turn.ts";
import { type CheckedLimit, isUnlimited, type Limit, requireLimit } from "../limits/limit.ts";
import { requireTell, type Tell, type TellSetting } from "../limits/tell.ts";
import type { SameCall } from "./repeat-budget.ts";

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
  /**
   * Is the model told what it has left: how much of a limit is used, and what happens at its end? At shares of each limit
   * (`true`: at 80, 90 and 95 %), or in every turn. Default: no.
   */
  readonly tell?: TellSetting | undefined;
  /** What the model is told in the tools-free last turn. */
  readonly synthesisMessage?: string | undefined;
  /**
   * The tool with which the agent gives its answer, if it has one. Its calls are no steps, and it is still offered in the
   * last turn, alone.
   */
  readonly finalTool?: string | undefined;
  /**
   * What is compared of a tool call to see whether it is the same as an earlier one. Default: its tool and its arguments,
   * without what agents vary without meaning. `(call) => call` compares them as they are.
   */
  readonly sameCall?: SameCall | undefined;
  /** Is there a person who can be asked at the boundary? Default: no, and `headless` is used instead. */
  readonly canAsk?: boolean | undefined;
};

/** The settings that hold, with the defaults filled in. `configure` takes them as they are, or with changes. */
export type CompleteSettings = {
  readonly [Name in Exclude<KindName, "tools">]: Readonly<LimitOptions<Name>>;
} & {
  readonly tools: Readonly<Record<string, Readonly<LimitOptions<"tools">>>>;
  readonly limits: readonly Limit[];
  readonly tell: Tell;
  readonly synthesisMessage: string;
  readonly finalTool: string | undefined;
  readonly sameCall: SameCall | undefined;
  readonly canAsk: boolean;
};

export const KIND_NAMES = Object.keys(KINDS) as KindName[];

const kinds = Object.fromEntries(KIND_NAMES.map((name) => [name, (KINDS[name] as Kind).check]));

/** The name of a tool. */
export const toolName = check<string>(
  (value) => typeof value === "string" && value !== "",
  "the name of a tool",
);

const complete = object({
  ...kinds,
  tools: optional(record(KINDS.tools.check), {}),
  limits: optional(list(requireLimit), []),
  tell: requireTell,
  synthesisMessage: optional(text, DEFAULT_SYNTHESIS_MESSAGE),
  finalTool: optional(toolName, undefined),
  sameCall: optional(anyFunction, undefined),
  canAsk: optional(flag, false),
});

/** Checks settings and fills in the defaults. The result is frozen. Throws `InvalidLimit` for a bad value. */
export function requireSettings(settings: unknown): CompleteSettings {
  return deepFreeze(complete(settings, "")) as unknown as CompleteSettings;
}

/** The limits of the settings, in the order in which they are reported, without those that limit nothing. */
export function limitsOf(settings: CompleteSettings): CheckedLimit[] {
  const limits: CheckedLimit[] = [];
  for (const name of KIND_NAMES) {
    if (name === "tools") {
      for (const [tool, options] of Object.entries(settings.tools))
        if (options.max !== "unlimited") limits.push(KINDS.tools.limit({ kind: "tools", tool }, options));
      continue;
    }
    const options = settings[name];
    // Turns are always counted, and shown.
    if (name === "turns" || options.max !== "unlimited")
      limits.push((KINDS[name] as unknown as Kind).limit({ kind: name }, options));
  }
  limits.push(...(settings.limits as readonly CheckedLimit[]).filter((limit) => !isUnlimited(limit)));
  const names = limits.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidLimit("limits", twice, "limits with names of their own");
  return limits;
}
