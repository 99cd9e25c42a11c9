import type { BeforeAgentStartEvent, InputEvent } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { createWhoPrompted } from "./who-prompted.ts";

type Source = InputEvent["source"];

function input(text: string, source: Source, streamingBehavior?: "steer" | "followUp"): InputEvent {
  return { type: "input", text, source, ...(streamingBehavior && { streamingBehavior }) };
}

const runStarts = {
  type: "before_agent_start",
  messageType: "user",
  prompt: "go",
} as unknown as BeforeAgentStartEvent;
const customRunStarts = {
  type: "before_agent_start",
  messageType: "custom",
} as unknown as BeforeAgentStartEvent;

test.each(["interactive", "rpc"] as const)("%s input is a person's prompt", (source) => {
  const who = createWhoPrompted();
  who.onInput(input("go", source), true);
  expect(who.isPersonsPrompt(runStarts)).toBe(true);
});

test("input from another extension is not, also right after a person's prompt", () => {
  const who = createWhoPrompted();
  who.onInput(input("go", "interactive"), true);
  who.isPersonsPrompt(runStarts);
  who.onInput(input("continue", "extension"), true);
  expect(who.isPersonsPrompt(runStarts)).toBe(false);
});

test("a run that another extension's custom message starts is not a person's, whatever came before", () => {
  const who = createWhoPrompted();
  who.onInput(input("handled by someone", "interactive"), true);
  expect(who.isPersonsPrompt(customRunStarts)).toBe(false);
});

test("the prompt's own message is not a follow-up", () => {
  const who = createWhoPrompted();
  who.onInput(input("left over", "interactive", "followUp"), true);
  who.onInput(input("go", "interactive"), true);
  who.isPersonsPrompt(runStarts);
  expect(who.isPersonsFollowUp("go")).toBe(false);
  expect(who.isPersonsFollowUp("left over")).toBe(true);
});

test("a queued message is told apart by who queued it and how", () => {
  const who = createWhoPrompted();
  who.onInput(input("steered", "interactive", "steer"), true);
  who.onInput(input("queued", "rpc", "followUp"), true);
  who.onInput(input("by a program", "extension", "followUp"), true);
  expect(who.isPersonsFollowUp("steered")).toBe(false);
  expect(who.isPersonsFollowUp("queued")).toBe(true);
  expect(who.isPersonsFollowUp("by a program")).toBe(false);
});

test("a message rewritten on its way is taken for the next of its queue, steering first", () => {
  const who = createWhoPrompted();
  who.onInput(input("/template", "interactive", "followUp"), true);
  who.onInput(input("/skill:x", "interactive", "steer"), true);
  expect(who.isPersonsFollowUp("the skill's text")).toBe(false);
  expect(who.isPersonsFollowUp("the template's text")).toBe(true);
  expect(who.isPersonsFollowUp("out of nowhere")).toBe(false);
});

test("a queue that was given up is forgotten", () => {
  const who = createWhoPrompted();
  who.onInput(input("queued", "interactive", "followUp"), true);
  who.forgetQueue();
  expect(who.isPersonsFollowUp("queued")).toBe(false);
});

test("a message said while Pi compacted, and delivered later in the run, is a prompt of its own", () => {
  const who = createWhoPrompted();
  who.onInput(input("go", "interactive"), false);
  who.onInput(input("and then this", "interactive"), false);
  expect(who.isPersonsPrompt(runStarts)).toBe(true);
  expect(who.isPersonsFollowUp("go")).toBe(false);
  expect(who.isPersonsFollowUp("and then this")).toBe(true);
});

test("a program's message between a person's input and its run does not take its place", () => {
  const who = createWhoPrompted();
  who.onInput(input("go", "interactive"), false);
  who.onInput(input("continue", "extension"), false);
  expect(who.isPersonsPrompt(runStarts)).toBe(true);
});

test("a message that was taken back from the queue does not count for another with the same words", () => {
  const who = createWhoPrompted();
  who.onInput(input("fix it", "interactive", "steer"), false);
  who.onInput(input("fix it", "interactive", "followUp"), false);
  expect(who.steeringWaits()).toBe(false);
  expect(who.isPersonsFollowUp("fix it")).toBe(true);
});
