import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { Person } from "./person.ts";

test("a command makes one message the person's", () => {
  const person = new Person();
  person.commanded();
  expect(person.takeAct()).toBe(true);
  expect(person.takeAct()).toBe(false);
});

test("what comes after the agent has moved on is not the consequence of a command", () => {
  const person = new Person();
  person.commanded();
  person.passed();
  expect(person.takeAct()).toBe(false);
});

test("a reply in another extension's dialog is an act", () => {
  const person = new Person();
  person.dialogOpened();
  person.moved("replies");
  person.dialogClosed();
  expect(person.takeAct()).toBe(true);
});

test("a dialog that is dismissed, that closes by itself, or that is ours is none", async () => {
  const person = new Person();
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
  const person = new Person();
  person.commanded();
  expect(person.beginsTurn()).toBe(false);
  person.messageCame();
  expect(person.beginsTurn()).toBe(true);
  person.commanded();
  expect(person.beginsTurn()).toBe(false);
});
