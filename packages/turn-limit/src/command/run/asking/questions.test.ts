import { expect, test } from "vitest";
import { named } from "../../../../test/helpers/named.ts";
import type { Ask, Reply } from "../../../core/governor/decision.ts";
import { Notices } from "../notices.ts";
import { type Asker, Questions } from "./questions.ts";

const ASK: Ask = { kind: "ask", id: 1, ...named("turns"), used: 5, max: 5 };
const RUN = { id: "r1", context: undefined, member: { id: "m", name: "agent" } };
const open = new AbortController().signal;

const replies =
  (reply: Reply | undefined): Asker =>
  async () =>
    reply;
const breaks: Asker = async () => {
  throw new Error("the store is gone");
};

/** An asker that stays open until the question is withdrawn, and then takes a moment to close. */
function waits(closed: () => void): Asker {
  return async (_, signal) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await Promise.resolve();
    closed();
    return undefined;
  };
}

const places = (...askers: Asker[]) => askers.map((ask, n) => ({ where: `at place ${n}`, ask }));

test("the first reply counts, and closes the question everywhere", async () => {
  let isClosed = false;
  const waiting = waits(() => {
    isClosed = true;
  });
  const questions = new Questions(
    places(replies(undefined), waiting, replies(false)),
    new Notices({ write() {} }),
  );
  expect(await questions.ask(ASK, open, RUN)).toBe(false);
  await questions.closed();
  expect(isClosed).toBe(true);
});

test("where no asker comes to a reply, the question is unanswered, and the person was called", async () => {
  const told: string[] = [];
  const screen = { isTTY: true, write: (text: string) => told.push(text) };
  const questions = new Questions(places(replies(undefined), breaks), new Notices(screen));
  expect(await questions.ask(ASK, open, RUN)).toBe("unanswered");
  expect(told).toEqual(["\x07", "turn-limit: Nobody could be asked: the store is gone\n"]);
});

test("a question that is withdrawn is closed", async () => {
  const withdrawn = new AbortController();
  const questions = new Questions(places(waits(() => {})), new Notices({ write() {} }));
  const reply = questions.ask(ASK, withdrawn.signal, RUN);
  withdrawn.abort();
  expect(await reply).toBe("unanswered");
  await questions.closed();
});
