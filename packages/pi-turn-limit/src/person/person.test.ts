import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { Person } from "./person.ts";

function personAt(now = { ms: 0 }) {
  return { person: new Person(() => now.ms), now };
}

test("a command makes one message the person's", () => {
  const { person } = personAt();
  person.commanded();
  expect(person.takeAct()).toBe(true);
  expect(person.takeAct()).toBe(false);
});

test("a message long after a command is not its consequence", () => {
  const { person, now } = personAt();
  person.commanded();
  now.ms = 10_001;
  expect(person.takeAct()).toBe(false);
});

test("what comes after the agent has moved on is not the consequence of a command", () => {
  const { person } = personAt();
  person.commanded();
  person.passed();
  expect(person.takeAct()).toBe(false);
});

test("a reply in another extension's dialog is an act", () => {
  const { person } = personAt();
  person.dialogOpened();
  person.moved("replies");
  person.dialogClosed();
  expect(person.takeAct()).toBe(true);
});

test("a dialog that is dismissed, that closes by itself, or that is ours is none", async () => {
  const { person } = personAt();
  person.dialogOpened();
  person.moved("dismisses");
  person.dialogClosed();
  expect(person.takeAct()).toBe(false);

  person.dialogOpened();
  person.moved("replies");
  await nextTick();
  person.dialogClosed();
  expect(person.takeAct()).toBe(false);

  await person.looksAt(async () => {
    person.dialogOpened();
    person.moved("replies");
    person.dialogClosed();
  });
  expect(person.takeAct()).toBe(false);
});

test("an act begins a turn only together with a message", () => {
  const { person } = personAt();
  person.commanded();
  expect(person.beginsTurn()).toBe(false);
  person.messageCame();
  expect(person.beginsTurn()).toBe(true);
  person.commanded();
  expect(person.beginsTurn()).toBe(false);
});
