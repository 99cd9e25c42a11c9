import { calls, type ScriptedProvider, startScriptedProvider, withUsage } from "@turn-limit/rig";

const answer = withUsage(
  { promptTokens: 900, completionTokens: 100 },
  calls({ name: "look", arguments: {} }),
);

/** A provider whose model calls a tool in every answer. `answers`: resolves when this request, from 1, is to be answered. */
export async function startEndlessModel(
  answers: (request: number) => Promise<void> | void = () => {},
): Promise<ScriptedProvider> {
  let requests = 0;
  return startScriptedProvider(async () => {
    requests += 1;
    await answers(requests);
    return answer;
  });
}
