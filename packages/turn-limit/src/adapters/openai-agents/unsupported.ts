import { UnsupportedOption } from "../../errors/unsupported-option.ts";
import { type CompleteSettings, limitsOf } from "../../governor/settings.ts";
import { TOOLS } from "../../limits/kinds.ts";
import { singlesOf } from "../../limits/limit.ts";

const NAME = "turn-limit/openai-agents";
const RUN_UNASKED = ["computer", "shell", "apply_patch"];
const RUN_BY_THE_PROVIDER = "hosted_tool";

/** Refuses a limit of tool calls that calls of these tools would get around. */
export function requireAsked(
  settings: CompleteSettings,
  tools: readonly { type: string; name: string }[],
): void {
  const unasked = tools.filter(({ type }) => RUN_UNASKED.includes(type) || type === RUN_BY_THE_PROVIDER);
  if (unasked.length === 0) return;
  const limits = limitsOf(settings)
    .flatMap(singlesOf)
    .filter(({ before, max, name }) => before === "step" && max !== "unlimited" && name !== "repeats");
  for (const { type, name } of unasked) {
    // What the provider runs by itself is not a step, but it may have a limit of its own.
    const limit =
      limits.find(({ tool }) => tool === name) ??
      limits.find(({ tool }) => tool === undefined && type !== RUN_BY_THE_PROVIDER);
    if (!limit) continue;
    throw new UnsupportedOption(NAME, limit.name, `calls of the ${type} tool "${name}" cannot be refused`);
  }
}

/** Refuses limits for which calls must be told apart, where the host does not say what a call is. */
export function requireToldApart(settings: CompleteSettings): void {
  const limit = limitsOf(settings).find(({ name }) => name.startsWith(TOOLS) || name === "repeats");
  if (!limit) return;
  const why = "this version of @openai/agents does not say what a call is";
  throw new UnsupportedOption(NAME, limit.name === "repeats" ? "repeats" : "tools", why);
}

/** Refuses a tools-free turn for an agent whose tools are listed elsewhere. */
export function requireOffered(agent: { name: string }, offered: boolean): void {
  if (offered) return;
  throw new UnsupportedOption(NAME, "synthesize", `the tools of "${agent.name}" are made by its sandbox`);
}
