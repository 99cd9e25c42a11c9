import { describe, expect, test } from "vitest";
import { playOnRedis, playOnSqlite } from "./answers/attacked-stores.ts";
import { judge } from "./answers/judge.ts";
import type { Entry, Said } from "./answers/log.ts";
import type { Played } from "./answers/play.ts";
import { withRedis } from "./helpers/with-redis.ts";

// The same with 10,000 questions: `npm run answers`.
const QUESTIONS = 200;

function expectEachOnce(played: Played): void {
  expect(played.questions).toBeGreaterThanOrEqual(QUESTIONS);
  expect(Math.min(played.answered, played.kills)).toBeGreaterThan(0);
  expect([played.twice, played.lost, played.afterClosing]).toEqual([[], [], []]);
}

test("of 200 questions in a file, answered by several at once with kills, no answer counts twice, is lost, or is accepted after closing [FirstReplyCounts]", async () => {
  const played = await playOnSqlite(QUESTIONS);
  expectEachOnce(played);
  expect(played.notKept).toEqual([]);
});

withRedis(() => {
  test("of 200 questions on a server that is attacked, too, no answer counts twice, is lost, or is accepted after closing [FirstReplyCounts]", async () => {
    expectEachOnce(await playOnRedis(QUESTIONS));
  });
});

describe("what is counted as a fault", () => {
  const question = "question 1-1";
  const said = (...all: Said[]): Entry[] => all.map((entry, at) => ({ ...entry, by: 1, at }));
  const kept = (answer: number, key = `${answer}`) => ({
    ...{ key, record: "one", at: 0, did: "answer" as const, where: "on the phone", to: question },
    reply: { more: answer },
  });
  const tries = (answer: number): Said => ({ said: "tries", answer, question });
  const made = (answer: number): Said => ({ said: "made", answer });
  const closed = (reply?: number): Said => ({
    ...{ said: "closed", question, isAborted: false },
    ...(reply !== undefined && { reply }),
  });
  const faults = (entries: Entry[], grants = [kept(1)]) => {
    const { twice, lost, afterClosing, notKept } = judge(entries, grants);
    return [twice, lost, afterClosing, notKept].map(({ length }) => length);
  };

  test.each<[string, Said[], ReturnType<typeof kept>[], number[]]>([
    ["an answer that is acted on and kept", [tries(1), made(1), closed(1)], [kept(1)], [0, 0, 0, 0]],
    [
      "two that are told that they count",
      [tries(1), tries(2), made(1), made(2), closed(1)],
      [kept(1)],
      [1, 0, 0, 0],
    ],
    [
      "one that is told, and another that is acted on",
      [tries(1), made(1), closed(2)],
      [kept(1)],
      [1, 0, 0, 0],
    ],
    ["one that is kept twice", [tries(1), made(1), closed(1)], [kept(1), kept(1, "2")], [1, 0, 0, 0]],
    ["one that nobody acts on", [tries(1), made(1), closed()], [kept(1)], [0, 1, 0, 0]],
    ["one that is not kept", [tries(1), made(1), closed(1)], [], [0, 1, 0, 0]],
    [
      "one that was given where it was asked, and is not kept",
      [{ said: "closed", question, isAborted: false, reply: 1, own: 1 }],
      [],
      [0, 0, 0, 1],
    ],
    ["one that is given after closing", [tries(1), closed(1), tries(2), made(2)], [kept(1)], [1, 0, 1, 0]],
  ])("%s", (_what, entries, grants, expected) => {
    expect(faults(said(...entries), grants)).toEqual(expected);
  });
});
