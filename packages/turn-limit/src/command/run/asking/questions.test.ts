import { expect, test } from "vitest";
import { named } from "../../../../test/helpers/named.ts";
import type { Ask, Reply } from "../../../core/governor/decision.ts";
import { type Asker, Questions } from "./questions.ts";

const ASK: Ask = { kind: "ask", id: 1, ...named("turns"), used: 5, max: 5 };
const RUN = { id: "r1", context: undefined, member: { id: "m", name: "agent" } };
const QUIET = { opened() {}, failed() {} };
const open = new AbortController().signal;

const replies =
  (reply: Reply | undefined): Asker =>
  async () =>
    reply;
const breaks: Asker = async () => {
  throw new Error("the store is gone");
};

/** A way that stays open until the question is withdrawn, and then takes a moment to close. */
function waits(closed: () => void): Asker {
  return async (_, signal) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await Promise.resolve();
    closed();
    return undefined;
  };
}

test("the first reply counts, and closes the question everywhere", async () => {
  let isClosed = false;
  const waiting = waits(() => {
    isClosed = true;
  });
  const questions = new Questions([replies(undefined), waiting, replies(false)], QUIET);
  expect(await questions.ask(ASK, open, RUN)).toBe(false);
  await questions.closed();
  expect(isClosed).toBe(true);
});

test("where no way comes to a reply, nobody was there", async () => {
  const told: unknown[] = [];
  const questions = new Questions([replies(undefined), breaks], {
    opened: () => told.push("opened"),
    failed: (error) => told.push(error),
  });
  expect(await questions.ask(ASK, open, RUN)).toBe("unanswered");
  expect(told).toEqual(["opened", new Error("the store is gone")]);
});

test("a question that is withdrawn is closed", async () => {
  const withdrawn = new AbortController();
  const questions = new Questions([waits(() => {})], QUIET);
  const reply = questions.ask(ASK, withdrawn.signal, RUN);
  withdrawn.abort();
  expect(await reply).toBe("unanswered");
  await questions.closed();
});
