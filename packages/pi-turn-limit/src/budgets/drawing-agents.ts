/** Another agent that draws from a budget. */
export interface DrawingAgent {
  readonly id: string;
  /** Its task, in a few words. */
  readonly name: string;
  /** What it took so far. */
  readonly tokens: number;
  readonly cost: number;
  /** Is it still at work? */
  readonly isPresent: boolean;
}

/** The agents that draw from the budget of a prompt, besides the one that was prompted. */
export interface DrawingAgents {
  readonly agents: readonly DrawingAgent[];
}

const LONGEST = 60;

/** A task in a few words: its first line, cut short. */
export function taskName(prompt: string): string {
  const [line = ""] = prompt
    .replace(/^Task: /, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const characters = [...line];
  return characters.length > LONGEST
    ? `${characters
        .slice(0, LONGEST - 1)
        .join("")
        .trimEnd()}…`
    : line;
}
