import { expect, test } from "vitest";
import type { Governor, GovernorOptions } from "../../src/index.ts";
import { callTool, prompted, promptedAtZero, takeTurns } from "../helpers/runs.ts";

const OPENINGS: [string, (governor: Governor) => void][] = [
  ["a person's prompt", (governor) => governor.prompt()],
  ["a program's message", () => {}],
];

test.each(OPENINGS)("%s begins a run of its own [RunOpens]", (_what, opens) => {
  const governor = prompted({ turns: 5, canAsk: true });
  takeTurns(governor, 2);
  callTool(governor, "bash");
  governor.turnEnded("failed");
  governor.settled();

  opens(governor);
  expect(governor.beforeTurn().kind).toBe("proceed");
  expect(governor.view.status).toBe("running");
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({
    kind: "completed",
    turns: 1,
    rounds: 1,
    steps: 0,
    intervened: false,
  });
});

test.each(OPENINGS)(
  "what was admitted before %s, and not sent, is no longer admitted [RunOpens]",
  (_what, opens) => {
    const governor = prompted({ turns: 5, steps: 5 });
    governor.beforeTurn();
    governor.beforeStep();
    governor.settled();

    opens(governor);
    governor.beforeTurn();
    governor.beforeStep();
    expect([governor.requestSent(), governor.stepExecuted()]).toEqual([undefined, undefined]);
    expect(governor.requestSent()).toMatchObject({ outcome: "limit-overrun", limit: "turns" });
    expect(governor.stepExecuted()).toMatchObject({ outcome: "limit-overrun", limit: "steps" });
  },
);

const ENDINGS: [string, GovernorOptions, (governor: Governor) => void][] = [
  ["a limit that stops", { turns: { max: 1, onExhausted: "stop" } }, (governor) => governor.beforeTurn()],
  ["a limit that raises", { turns: { max: 1, onExhausted: "raise" } }, (governor) => governor.beforeTurn()],
  [
    "a person's no",
    { turns: 1 },
    (governor) => {
      governor.beforeTurn();
      governor.answer(false);
    },
  ],
  [
    "a call too many",
    { steps: 1 },
    (governor) => {
      callTool(governor, "bash");
      callTool(governor, "bash");
    },
  ],
  [
    "time that is up in the middle of a turn",
    { time: { max: 10, onExhausted: "stop" } },
    (governor) => {
      governor.timeIs(10);
      governor.overdue();
    },
  ],
  [
    "a request that was not admitted",
    {},
    (governor) => {
      governor.requestSent();
      governor.requestSent();
    },
  ],
];

test.each(ENDINGS)(
  "after %s nothing begins any more, whatever becomes of the limits, and there is one stop [RunIsEnded]",
  (_what, options, ends) => {
    const governor = promptedAtZero({ ...options, canAsk: true });
    governor.beforeTurn();
    ends(governor);
    const { stop } = governor.view;
    expect(stop).toMatchObject({ kind: "stop" });

    governor.configure({ turns: "unlimited", canAsk: true });
    governor.reset();
    governor.timeIs(1_000);
    expect(governor.beforeTurn()).toEqual(stop);
    expect(governor.answer(true)).toEqual(stop);
    expect(callTool(governor, "bash").kind).toBe("refuse");
    expect(governor.overdue()).toBeUndefined();
    expect(governor.settled()).toMatchObject({ kind: stop?.outcome, limit: stop?.limit, intervened: true });
  },
);
