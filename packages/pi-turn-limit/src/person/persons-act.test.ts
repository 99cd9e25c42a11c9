import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { PersonsAct } from "./persons-act.ts";

function actAt(now = { ms: 0 }) {
  return { act: new PersonsAct(() => now.ms), now };
}

test("a command makes one message the person's", () => {
  const { act } = actAt();
  act.commanded();
  expect(act.take()).toBe(true);
  expect(act.take()).toBe(false);
});

test("a message long after a command is not its consequence", () => {
  const { act, now } = actAt();
  act.commanded();
  now.ms = 10_001;
  expect(act.take()).toBe(false);
});

test("what comes after the agent has moved on is not the consequence of a command", () => {
  const { act } = actAt();
  act.commanded();
  act.passed();
  expect(act.take()).toBe(false);
});

test("a reply in another extension's dialog is an act", () => {
  const { act } = actAt();
  act.dialogOpened(false);
  act.moved("replies");
  act.dialogClosed();
  expect(act.take()).toBe(true);
});

test("a dialog that is dismissed, that closes by itself, or that is ours is none", async () => {
  const { act } = actAt();
  act.dialogOpened(false);
  act.moved("dismisses");
  act.dialogClosed();
  expect(act.take()).toBe(false);

  act.dialogOpened(false);
  act.moved("replies");
  await nextTick();
  act.dialogClosed();
  expect(act.take()).toBe(false);

  act.dialogOpened(true);
  act.moved("replies");
  act.dialogClosed();
  expect(act.take()).toBe(false);
});

test("an act begins a turn only together with a message", () => {
  const { act } = actAt();
  act.commanded();
  expect(act.beginsTurn()).toBe(false);
  act.messageCame();
  expect(act.beginsTurn()).toBe(true);
  act.commanded();
  expect(act.beginsTurn()).toBe(false);
});
