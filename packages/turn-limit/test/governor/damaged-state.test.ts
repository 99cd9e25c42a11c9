import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import {
  allOf,
  anyOf,
  type CustomLimit,
  createGovernor,
  type Governor,
  type GovernorOptions,
  type GovernorState,
  isInvalidLimit,
  tokenLimit,
  toolLimit,
} from "../../src/index.ts";
import { callTools, promptedAtZero, saved, turnsTaking, turnTaking, whyRefused } from "../helpers/runs.ts";

const answers: CustomLimit = { name: "answers", max: 6, used: ({ turns }) => turns };
const LIMITS = [
  answers,
  allOf([{ ...answers, name: "replies" }, tokenLimit(50)]),
  anyOf([toolLimit("read", 2)]),
];

const OPTIONS: GovernorOptions = {
  turns: { max: 5, grace: 2 },
  steps: { max: 7, onExhausted: "synthesize" },
  tokens: { max: 40, reserve: 10 },
  cost: { max: 0.8, unpriced: "tokens" },
  time: 4_000,
  tools: { bash: 3 },
  repeats: 2,
  canAsk: true,
};

const TEN = { input: 10, cost: 0.1 };

const SCENES: Record<string, (governor: Governor) => void> = {
  idle: (governor) => {
    turnTaking(governor, TEN);
    governor.settled();
  },
  running: (governor) => {
    governor.beforeTurn();
    governor.requestSent();
    callTools(governor, "bash", "poll", "poll", "poll");
    governor.beforeStep({ id: "1", tool: "poll", args: { page: 1 } });
    governor.stepExecuted();
  },
  asking: (governor) => {
    turnsTaking(governor, TEN);
    turnTaking(governor, TEN);
    governor.beforeTurn();
  },
  ending: (governor) => {
    SCENES.asking?.(governor);
    governor.answer(false);
  },
  "with grants": (governor) => {
    SCENES.asking?.(governor);
    governor.answer({ more: 25 });
    governor.turnEnded({ usage: { input: 10, output: 0, cost: 0.1 } });
  },
  "with the last turn due": (governor) => {
    turnTaking(governor, TEN);
    governor.beforeTurn();
    callTools(governor, ..."abcdefgh".split(""));
  },
};

/** What is put in the place of a field; `undefined` takes it away. */
const DAMAGES: ((value: unknown) => unknown)[] = [
  () => undefined,
  () => null,
  () => "x",
  () => -1,
  () => 0,
  () => 1e9,
  () => true,
  () => [],
  () => ({}),
  (value) => (typeof value === "number" ? value - 1 : Number.NaN),
];

interface Field {
  holder: Record<string, unknown>;
  key: string;
  path: string;
}

/** Every field of a value, and of what is in it. */
function fieldsOf(value: unknown, path = "state"): Field[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [
    { holder, key, path: `${path}.${key}` },
    ...fieldsOf(holder[key], `${path}.${key}`),
  ]);
}

/** Acts while the field has another value. Was there a difference? */
function whileDamaged({ holder, key }: Field, damage: (value: unknown) => unknown, act: () => void): boolean {
  const value = holder[key];
  const other = damage(value);
  if (isDeepStrictEqual(other, value)) return false;
  if (other === undefined) delete holder[key];
  else holder[key] = other;
  act();
  holder[key] = value;
  return true;
}

/** How many turns and calls are admitted from here on, if nobody says yes. */
function admits(governor: Governor): number {
  let admitted = 0;
  for (let turn = 0; turn < 100; turn += 1) {
    governor.timeIs((governor.state.meter.now ?? 0) + 100);
    const { kind } = governor.beforeTurn();
    if (kind === "ask" || kind === "stop") return admitted;
    const calls = callTools(governor, "bash", "poll", `tool ${turn}`);
    admitted += 1 + calls.filter((call) => call === "proceed").length;
    governor.turnEnded({ usage: { input: 10, output: 0, cost: 0.1 } });
  }
  return admitted;
}

const counts = { damages: 0, refused: 0 };

test.each(Object.keys(SCENES))(
  "no field of a state saved %s can be damaged so that more is admitted",
  (scene) => {
    const governor = promptedAtZero({ ...OPTIONS, limits: LIMITS });
    SCENES[scene]?.(governor);
    const { state } = governor;
    const undamaged = admits(saved(governor, { canAsk: true, limits: LIMITS }));
    const admitMore: string[] = [];
    for (const field of fieldsOf(state)) {
      for (const damage of DAMAGES) {
        const isDamaged = whileDamaged(field, damage, () => {
          try {
            const restored = createGovernor({ canAsk: true, limits: LIMITS, state });
            if (admits(restored) > undamaged) admitMore.push(field.path);
          } catch (error) {
            if (!isInvalidLimit(error)) throw error;
            counts.refused += 1;
          }
        });
        if (isDamaged) counts.damages += 1;
      }
    }
    expect(admitMore).toEqual([]);
  },
);

test("those were several thousand damages, and each of them was noticed", () => {
  expect(counts.damages).toBeGreaterThan(5_000);
  expect(counts.refused).toBe(counts.damages);
});

test.each([0, 7, 9, -1, "8", null, undefined, true])(
  "a state of version %s is refused as such",
  (version) => {
    const { state } = promptedAtZero(OPTIONS);
    expect(
      whyRefused(() => createGovernor({ state: { ...state, version: version as number } })),
    ).toMatchObject({
      setting: "state.version",
      value: version,
    });
  },
);

test.each([null, 5, "state", [], {}, new Map()])("%j is no state", (state) => {
  expect(whyRefused(() => createGovernor({ state: state as GovernorState })).setting).toMatch(/^state/);
});

test("a field that is not known is refused, too", () => {
  const { state } = promptedAtZero(OPTIONS);
  const more = { ...state, limit: "none" };
  expect(whyRefused(() => createGovernor({ state: more }))).toMatchObject({ setting: "state.checksum" });
});

test("a state of another governor's parts is refused", () => {
  const fresh = promptedAtZero(OPTIONS).state;
  const governor = promptedAtZero(OPTIONS);
  turnsTaking(governor, TEN);
  const mixed = { ...governor.state, meter: fresh.meter };
  expect(whyRefused(() => createGovernor({ state: mixed })).message).toMatch(
    /^state\.checksum must be .*: the state was changed or damaged, not "/,
  );
});

test.each(Object.keys(SCENES))(
  "a state saved %s survives JSON, and the order of its keys does not matter",
  (scene) => {
    const governor = promptedAtZero({ ...OPTIONS, limits: LIMITS });
    SCENES[scene]?.(governor);
    const { state } = governor;
    for (const same of [JSON.parse(JSON.stringify(state)), structuredClone(state), reversed(state)]) {
      const restored = createGovernor({ canAsk: true, limits: LIMITS, state: same as GovernorState });
      expect(restored.state).toEqual(state);
    }
  },
);

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  );
}
