import { plain, readParts } from "./file-parts.ts";
import { isObject } from "./grammar.ts";
import type { Claims, ToolBudget, ToolKey } from "./LimitValues.ts";
import { either, refusal } from "./refusal.ts";
import { joinTool, settingsOfTool, splitTool, type ToolParts } from "./tool-budgets.ts";

/** What a settings file says about tools. Policies that it leaves out are those of `weaker`. */
export function readTools(
  tools: unknown,
  file: string,
  weaker: Claims,
): { claims: Claims; problems: string[] } {
  const claims: Record<ToolKey, ToolBudget> = {};
  const problems: string[] = [];

  function readTool(tool: string, value: unknown): void {
    const key: ToolKey = `tools.${tool}`;
    const settings = settingsOfTool(tool);
    if (isObject(value) && !Object.hasOwn(value, "max")) {
      const { name, allowed } = plain(settings);
      problems.push(refusal(name, value, `"${key}" of ${file}`, either(allowed)));
      return;
    }
    const said = readParts(key, settings, value, file);
    problems.push(...said.problems);
    if (said.values.max === undefined) return;
    claims[key] = joinTool({ ...splitTool(weaker[key]), ...(said.values as Partial<ToolParts>) });
  }

  if (isObject(tools)) for (const [tool, value] of Object.entries(tools)) readTool(tool, value);
  else if (tools !== undefined) {
    problems.push(refusal("tool limits", tools, `"tools" of ${file}`, '{ "name of the tool": …, … }'));
  }
  return { claims, problems };
}
