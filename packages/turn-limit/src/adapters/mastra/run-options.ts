import type { AgentExecutionOptionsBase, PublicStructuredOutputOptions } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import type { DynamicArgument } from "@mastra/core/types";
import { newHiddenField } from "../../core/hidden-field.ts";

/** What `generate()` and `stream()` of the host take besides the form of the answer. */
type Common<Output> = AgentExecutionOptionsBase<Output> & { model?: DynamicArgument<MastraModelConfig> };

/** The options of `generate()` and `stream()` for a text, as the host types them. */
export type RunOptions = Common<unknown> & { structuredOutput?: never };

/** The options of `generate()` and `stream()` for an object, as the host types them. */
export type ObjectRunOptions<Output> = Common<Output> & {
  structuredOutput: PublicStructuredOutputOptions<Output>;
};

/** Where a run can be governed. Elsewhere the caller's options are none of our business. */
const HOOK_NAMES = [
  "maxSteps",
  "stopWhen",
  "prepareStep",
  "onIterationComplete",
  "onFinish",
  "onError",
  "onAbort",
] as const;

type HookName = (typeof HOOK_NAMES)[number];

/** The options by which a run is governed. */
export type Hooks = { [Name in HookName]?: RunOptions[Name] | undefined };

const GRANT = Symbol("turn-limit.grant");

/** Options that came from the adapter: whose limits apply to the run. */
interface Grant<Limits> {
  limits: Limits;
  /** The caller's own, in place of which there is {@link unknownAgent}. */
  prepareStep: Hooks["prepareStep"];
}

type Granted<Limits> = { [GRANT]?: Grant<Limits> };

/**
 * The caller's options, with limits. A copy with other options in it has the same limits. Limits that they have already
 * are replaced.
 */
export function withLimits<Options extends object, Limits>(own: Options & Hooks, limits: Limits): Options {
  const grant: Grant<Limits> = { limits, prepareStep: hookOf(own, "prepareStep") };
  return { ...own, prepareStep: unknownAgent, [GRANT]: grant };
}

/** The limits that came with the options. */
export function limitsIn<Limits>(options: object | undefined): Limits | undefined {
  return (options as Granted<Limits> | undefined)?.[GRANT]?.limits;
}

const isOurs = newHiddenField<true>();

/** These hooks are ours. */
export function markHooks(hooks: Hooks): Hooks {
  if (hooks.prepareStep) isOurs.set(hooks.prepareStep, true);
  return hooks;
}

/** Is this one of our hooks? */
export function isHook(hook: Hooks["prepareStep"]): boolean {
  return typeof hook === "function" && isOurs.get(hook) === true;
}

/** What is called of the options of a call and the agent's default ones: as in the host, those of the call go first. */
export function hooksOf(given: Hooks, defaults: Hooks): Hooks {
  return Object.fromEntries(HOOK_NAMES.map((name) => [name, hookOf(given, name) ?? hookOf(defaults, name)]));
}

function hookOf<Name extends HookName>(options: Hooks, name: Name): Hooks[Name] {
  const hook = options[name];
  if (hook !== unknownAgent) return hook;
  return (options as Granted<unknown>)[GRANT]?.prepareStep as Hooks[Name];
}

// In place of what is put there when the agent runs. A run that is not limited must not pass for one that is.
const unknownAgent: NonNullable<Hooks["prepareStep"]> = () => {
  throw new TypeError(
    "turn-limit/mastra cannot limit this run: the agent's class is not the Agent that it knows. A durable agent of a " +
      "Mastra instance cannot be limited. If this is none: is @mastra/core installed twice, or loaded with require() " +
      "and with import? Load it once, with import.",
  );
};
