import { createGovernor, type Governor, type GovernorOptions, type StepDecision } from "../src/index.ts";

/** A governor whose run a person has just prompted. */
export function prompted(options: GovernorOptions): Governor {
  const governor = createGovernor(options);
  governor.prompt();
  return governor;
}

/** Takes turns, each of them answered, until one may not begin or `count` are done. Returns how many began. */
export function takeTurns(governor: Governor, count = 1_000): number {
  for (let turn = 0; turn < count; turn += 1) {
    if (governor.beforeTurn().kind !== "proceed") return turn;
    governor.turnEnded();
  }
  return count;
}

/** Takes turns as {@link takeTurns}, whatever the model is told before them. Returns what was decided before each. */
export function decisions(governor: Governor, count: number): string[] {
  return Array.from({ length: count }, () => {
    const { kind } = governor.beforeTurn();
    if (kind !== "ask" && kind !== "stop") governor.turnEnded();
    return kind;
  });
}

/** A batch of tool calls, in the order in which the model made them. */
export function takeSteps(governor: Governor, count: number): StepDecision["kind"][] {
  return Array.from({ length: count }, () => governor.beforeStep().kind);
}

/** A turn whose answer has a batch of tool calls. */
export function turnWithSteps(governor: Governor, count: number): StepDecision["kind"][] {
  governor.beforeTurn();
  const steps = takeSteps(governor, count);
  governor.turnEnded();
  return steps;
}

/** A governor whose run is held at the question, 2 of 2 turns used. */
export function asking(): Governor {
  const governor = prompted({ turns: 2, canAsk: true });
  takeTurns(governor);
  return governor;
}

/** A governor whose run is out of steps, 2 of 2 used in its first turn, and has its tools-free turn before it. */
export function outOfSteps(options: Omit<GovernorOptions, "steps"> = {}): Governor {
  const governor = prompted({ ...options, steps: { max: 2, onExhausted: "synthesize" } });
  turnWithSteps(governor, 3);
  return governor;
}
