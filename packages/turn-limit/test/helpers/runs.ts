import {
  createGovernor,
  type Governor,
  type GovernorOptions,
  type GovernorSettings,
  type InvalidLimit,
  isInvalidLimit,
  type PolicyBefore,
  type StepDecision,
  type TurnDecision,
  type Usage,
} from "../../src/index.ts";

/** A governor whose run a person has just prompted. */
export function prompted(options: GovernorOptions): Governor {
  const governor = createGovernor(options);
  governor.prompt();
  return governor;
}

/** A governor whose run a person has just prompted, at 0 milliseconds. */
export function promptedAtZero(options: GovernorOptions): Governor {
  const governor = createGovernor(options);
  governor.timeIs(0);
  governor.prompt();
  return governor;
}

/** Changes some settings, and of a limit only what is said. Limits of tools are given as a whole. */
export function change(governor: Governor, changes: GovernorSettings): void {
  const before: Record<string, unknown> = { ...governor.view.settings };
  const after = Object.entries(changes).map(([name, given]) => {
    if (!["turns", "requests", "steps", "tokens", "cost", "time", "repeats"].includes(name))
      return [name, given];
    const options = typeof given === "object" ? given : { max: given };
    return [name, { ...(before[name] as object), ...(options as object) }];
  });
  governor.configure({ ...before, ...Object.fromEntries(after) });
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
export function asking(turns: Partial<PolicyBefore<"turn">> = {}): Governor {
  const governor = prompted({ turns: { max: 2, ...turns }, canAsk: true });
  takeTurns(governor);
  return governor;
}

/** A governor whose run is out of steps, 2 of 2 used in its first turn, and has its tools-free turn before it. */
export function outOfSteps(options: Omit<GovernorOptions, "steps"> = {}): Governor {
  const governor = prompted({ ...options, steps: { max: 2, onExhausted: "synthesize" } });
  turnWithSteps(governor, 3);
  return governor;
}

/** Takes a turn, if it may begin, whose answer took this much. Returns what was decided before it. */
export function turnTaking(governor: Governor, usage: Partial<Usage>): TurnDecision["kind"] {
  const { kind } = governor.beforeTurn();
  if (kind !== "ask" && kind !== "stop") governor.turnEnded({ usage: { input: 0, output: 0, ...usage } });
  return kind;
}

/** Takes turns as {@link turnTaking}, until one may not just begin or `count` are done. Returns how many began. */
export function turnsTaking(governor: Governor, usage: Partial<Usage>, count = 1_000): number {
  for (let turn = 0; turn < count; turn += 1) {
    if (turnTaking(governor, usage) !== "proceed") return turn;
  }
  return count;
}

/** Calls a tool, and if that may run it has its result at once. */
export function callTool(
  governor: Governor,
  tool: string,
  { args = {}, result = "done" }: { args?: unknown; result?: unknown } = {},
): StepDecision {
  const decision = governor.beforeStep({ tool, args });
  if (decision.kind === "proceed") governor.stepEnded({ result });
  return decision;
}

/** Calls tools one after the other, as {@link callTool}. */
export function callTools(governor: Governor, ...tools: string[]): StepDecision["kind"][] {
  return tools.map((tool) => callTool(governor, tool).kind);
}

/** The governor that goes on from what this one says of itself. */
export function saved(governor: Governor, options: Omit<GovernorOptions, "state"> = {}): Governor {
  return createGovernor({ ...options, state: JSON.parse(JSON.stringify(governor.state)) });
}

/** How much of a limit is used. */
export function used(governor: Pick<Governor, "view">, limit: string): number | undefined {
  return governor.view.standings.find((standing) => standing.limit === limit)?.used;
}

/** Why a limit was refused. */
export function whyRefused(act: () => unknown): InvalidLimit {
  try {
    act();
  } catch (error) {
    if (isInvalidLimit(error)) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}
