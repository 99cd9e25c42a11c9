import { type Reply, type Script, says } from "@turn-limit/rig";
import { leavesWithoutEnd } from "./executed.ts";
import type { Stage } from "./stage.ts";

/** What the models of these scripts say when they have no tools. */
export const salvage = says("What I know.");

/** Works without end, and gives `reply` whenever no tool is offered. */
export function worksUntilToolsFree(reply: Reply = salvage, width = 1): Script {
  const works = leavesWithoutEnd(width);
  return (request) => (request.toolNames.length === 0 ? reply : works(request));
}

/** Of each request so far, whether it offered the model tools. */
export function offeredTools(stage: Stage): boolean[] {
  return stage.model.requests.map(({ toolNames }) => toolNames.length > 0);
}
