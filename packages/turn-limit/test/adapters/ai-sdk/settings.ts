import type { Scenario, SeenRequest } from "../../../src/testing/scripted-host.ts";
import { scriptedModel, workTool } from "../../hosts/ai-sdk.ts";

/** A model that never finishes. */
export const endless: Scenario["model"] = () => ({ calls: 1 });

/** The settings of a call or an agent, and what is seen of it. */
export function scripted(model: Scenario["model"] = endless) {
  const requests: SeenRequest[] = [];
  const executed: string[] = [];
  const tools = { work: workTool((id) => void executed.push(id)) };
  return { requests, executed, settings: { model: scriptedModel(requests, model), tools } };
}
