import { UnsupportedOption } from "../../errors/UnsupportedOption.ts";
import type { Governor } from "../../governor/Governor.ts";

const NAME = "turn-limit/openai-agents";
const RUN_UNASKED = ["computer", "shell", "apply_patch"];
const RUN_BY_THE_PROVIDER = "hosted_tool";

/** Refuses a limit that calls of these tools would slip through. */
export function requireAsked(
  { steps, budgets }: Governor,
  tools: readonly { type: string; name: string }[],
): void {
  for (const { type, name } of tools) {
    const unasked = RUN_UNASKED.includes(type);
    const limited = Object.hasOwn(budgets.tools, name) && (unasked || type === RUN_BY_THE_PROVIDER);
    if (!limited && (!unasked || steps === "unlimited")) continue;
    const why = `calls of the ${type} tool "${name}" cannot be refused`;
    throw new UnsupportedOption(NAME, limited ? `tools.${name}` : "steps", why);
  }
}

/** Refuses limits for which calls must be told apart, where the host does not say what a call is. */
export function requireToldApart({ budgets }: Governor): void {
  const perTool = Object.keys(budgets.tools).length > 0;
  if (!perTool && budgets.repeats === "unlimited") return;
  const why = "this version of @openai/agents does not say what a call is";
  throw new UnsupportedOption(NAME, perTool ? "tools" : "repeats", why);
}

/** Refuses a tools-free turn for an agent whose tools are listed elsewhere. */
export function requireOffered(agent: { name: string }, offered: boolean): void {
  if (offered) return;
  throw new UnsupportedOption(NAME, "synthesize", `the tools of "${agent.name}" are made by its sandbox`);
}
