import { RunState } from "@openai/agents";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import { UnsupportedOption } from "../../core/errors/unsupported-option.ts";
import { type CompleteSettings, limitsOf } from "../../core/governor/settings.ts";
import { singlesOf } from "../../core/limits/limit.ts";
import { parentOf } from "./contexts.ts";

const NAME = "turn-limit/openai-agents";
const RUN_UNASKED = ["computer", "shell", "apply_patch"];
const RUN_BY_THE_PROVIDER = "hosted_tool";

/** Refuses what is not an agent. */
export function requireAgent(agent: unknown): void {
  const { getSystemPrompt } = (agent ?? {}) as { getSystemPrompt?: unknown };
  if (typeof getSystemPrompt !== "function")
    throw new InvalidLimit("the agent to run", agent, "an Agent of @openai/agents");
}

/** Refuses what cannot be the input of a run. */
export function requireInput(input: unknown): void {
  if (typeof input === "string" || Array.isArray(input) || input instanceof RunState) return;
  throw new InvalidLimit("the input of the run", input, "a text, a list of input items or a RunState");
}

/** Refuses a context that is not that of a run under limits. */
export function requireRunning(context: unknown): void {
  if (parentOf(context)) return;
  const allowed = "the one that a tool was given by a run under limits, which is still under way";
  throw new InvalidLimit("the run context of the sub-agent", context, allowed);
}

/** Refuses a limit of tool calls that calls of these tools would get around. */
export function requireAsked(
  settings: CompleteSettings,
  tools: readonly { type: string; name: string }[],
): void {
  if (tools.every(({ type }) => type === "function")) return;
  const unasked = tools.filter(({ type }) => RUN_UNASKED.includes(type) || type === RUN_BY_THE_PROVIDER);
  const limits = limitsOf(settings)
    .flatMap(singlesOf)
    .filter(
      ({ before, max, identity }) => before === "step" && max !== "unlimited" && identity.kind !== "repeats",
    );
  for (const { type, name } of unasked) {
    // What the provider runs by itself is not a step, but it may have a limit of its own.
    const limit =
      limits.find(({ tool }) => tool === name) ??
      limits.find(({ tool }) => tool === undefined && type !== RUN_BY_THE_PROVIDER);
    if (!limit) continue;
    throw new UnsupportedOption(NAME, limit.name, `calls of the ${type} tool "${name}" cannot be refused`);
  }
}

/** Refuses a tool whose calls cannot be limited, because its `invoke` cannot be replaced for a call. */
export function requireReplaceable(tools: readonly { type: string; name: string }[]): void {
  for (const tool of tools) {
    if (tool.type !== "function" || isReplaceable(tool, "invoke")) continue;
    const why = `its "invoke" cannot be set. Give a copy that is not frozen, or a tool() that calls this one`;
    throw new UnsupportedOption(NAME, `limits of the tool ${tool.name}`, why);
  }
}

/** Refuses an agent that cannot be governed in place. */
export function requireChangeable(agent: { name: string }): void {
  if (isReplaceable(agent, "getAllTools")) return;
  const why = "it is frozen. Give agent.clone({}) instead";
  throw new UnsupportedOption(NAME, `limits of the agent ${agent.name}`, why);
}

/** Can this method be set, and be as it was afterwards? */
function isReplaceable(thing: object, method: string): boolean {
  let owner: object | null = thing;
  while (owner !== null && !Object.hasOwn(owner, method)) owner = Object.getPrototypeOf(owner);
  const { writable, set } = (owner && Reflect.getOwnPropertyDescriptor(owner, method)) ?? { writable: true };
  return Boolean(writable ?? set) && (owner === thing || Object.isExtensible(thing));
}

/** Refuses a tools-free turn for an agent whose tools are listed elsewhere. */
export function requireOffered(agent: { name: string }, offered: boolean): void {
  if (offered) return;
  throw new UnsupportedOption(NAME, "synthesize", `the tools of "${agent.name}" are made by its sandbox`);
}
