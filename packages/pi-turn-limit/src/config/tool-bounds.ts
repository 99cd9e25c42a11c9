import { type Beyond, beyondOwn } from "./Beyond.ts";
import type { Claims, LimitValues, ToolBudget, ToolKey } from "./LimitValues.ts";
import type { Setting } from "./Setting.ts";
import { isToolKey, joinTool, settingsOfTool, splitTool, type ToolParts, toolOf } from "./tool-budgets.ts";

/** What a project's limits of tools come to, no part looser than the person's own, and what was ignored for that. */
export function boundTools(project: Claims, person: LimitValues): { claims: Claims; beyond: Beyond[] } {
  const claims: Record<ToolKey, ToolBudget> = {};
  const beyond: Beyond[] = [];
  for (const key of Object.keys(project).filter(isToolKey)) {
    const own = splitTool(person[key]);
    const theirs = project[key] ?? "unlimited";
    const said = theirs === "unlimited" ? { ...own, max: theirs } : theirs;
    const tightened: Partial<Record<keyof ToolParts, unknown>> = {};
    for (const [part, setting] of settingsIn(key)) {
      const objections = beyondOwn(key, setting, said[part], own[part]);
      beyond.push(...objections);
      if (objections.length === 0 && said[part] !== own[part]) tightened[part] = said[part];
    }
    if (Object.keys(tightened).length > 0) claims[key] = joinTool({ ...own, ...tightened } as ToolParts);
  }
  return { claims, beyond };
}

function settingsIn(key: ToolKey): [keyof ToolParts, Setting<unknown>][] {
  return Object.entries(settingsOfTool(toolOf(key))) as [keyof ToolParts, Setting<unknown>][];
}
