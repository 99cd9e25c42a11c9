import type { Given } from "../run-example.ts";

/** What an example is run with, and what has to be closed after it. */
export interface Surroundings extends Given {
  close?(): Promise<void>;
}

/** What the model of an example says without tools. */
export const ANSWER = "Here is what I found.";

/** An example whose limits do not hold must not run forever. */
export const MOST_REQUESTS = 50;

/** The tool that the model of an example calls: it never ends by itself, as long as it has one. */
export function toolToCall(tools: readonly string[]): string | undefined {
  return tools.find((name) => name === "research") ?? tools[0];
}
