import { DEFAULT_WRAP_UP_MESSAGE } from "./wrap-up.ts";

/** What the model is told in the tools-free turn, unless the host has a better text. */
export const DEFAULT_SYNTHESIS_MESSAGE =
  "Your budget for this task is used up, and you have no tools any more. Answer now, from what you have found " +
  "so far. Say what you know, what you could not find out, and what is left to do.";

/** What the model is told in the last turn. `finalTool`: the one that it still has, of which the caller's own text says what it likes. */
export function lastTurnMessage(message: string, finalTool: string | undefined): string {
  if (finalTool === undefined || message !== DEFAULT_SYNTHESIS_MESSAGE) return message;
  return (
    `Your budget for this task is used up, and "${finalTool}" is the only tool that you have left. Answer now, by ` +
    "calling it once, from what you have found so far. Say what you know, what you could not find out, and what is " +
    "left to do, as far as it has room for that."
  );
}

/** What a person is told if the agent does not have the final tool. */
export function finalToolMissing(finalTool: string): string {
  return `The agent has no tool "${finalTool}", which is its final tool: its last turn is made without tools.`;
}

/** What the model is told when it has to come to an end, where it gives its answer with a tool. */
export function wrapUpByTool(message: string, finalTool: string | undefined): string {
  if (finalTool === undefined || message !== DEFAULT_WRAP_UP_MESSAGE) return message;
  return (
    `Wrap up now. Stop working and deliver your answer, by calling "${finalTool}": do not call any other tool. Say what ` +
    "is done, what is left to do, and what you have found so far, even if it is incomplete, as far as it has room for that."
  );
}
