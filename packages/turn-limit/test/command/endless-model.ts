import { calls, type ScriptedProvider, startScriptedProvider, withUsage } from "@turn-limit/rig";

const answer = withUsage(
  { promptTokens: 900, completionTokens: 100 },
  calls({ name: "look", arguments: {} }),
);

/** A provider whose model calls a tool in every answer. */
export function startEndlessModel(): Promise<ScriptedProvider> {
  return startScriptedProvider(() => answer);
}
