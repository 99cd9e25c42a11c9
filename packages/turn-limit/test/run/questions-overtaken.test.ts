import { expect, test } from "vitest";
import type { PolicyBefore } from "../../src/index.ts";
import { driven, held } from "../helpers/driven.ts";
import { rest } from "../helpers/person.ts";
import { used } from "../helpers/runs.ts";

test("when another limit comes first by now, the old question is withdrawn, and all wait for the new one [QuestionReplaced] [OneQuestionAtATime]", async () => {
  const { driver, person } = driven({ tokens: 10, cost: 1 });
  await driver.admitTurn();
  driver.turnEnded({ usage: { input: 1, output: 0, cost: 1 } });
  const first = driver.admitTurn();
  await rest();
  driver.spend("compaction", { input: 9, output: 0, cost: 0 });
  const second = driver.admitTurn();
  await rest();
  expect(person.asked.map(({ ask, signal }) => [ask.limit, signal.aborted])).toEqual([
    ["cost", true],
    ["tokens", false],
  ]);
  expect(driver.view.question).toMatchObject({ id: 2, limit: "tokens" });

  person.asked[0]?.reply(false);
  await person.replies(true);
  expect(await Promise.all([first, second])).toEqual([{ kind: "proceed" }, { kind: "proceed" }]);
  expect([used(driver, "turns"), person.asked.length]).toEqual([3, 2]);
});

test.each<[PolicyBefore<"turn">["headless"], object]>([
  ["stop", { kind: "stop", outcome: "stopped", raises: false }],
  ["raise", { kind: "stop", outcome: "stopped", raises: true }],
  ["synthesize", { kind: "synthesize" }],
])(
  "when the person goes while the question is open, it is withdrawn, and the held turn is to %s [CanAskChanged] [QuestionDropped]",
  async (headless, decision) => {
    const { driver, person, admission } = await held({ turns: { max: 1, headless } });
    driver.configure({ ...driver.view.settings, canAsk: false });
    expect(await admission).toMatchObject({ ...decision, limit: "turns", used: 1, max: 1 });
    expect([person.last.signal.aborted, person.asked.length]).toEqual([true, 1]);
  },
);
