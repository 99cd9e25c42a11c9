import type { BeforeAgentStartEvent, InputEvent } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { createWhoPrompted } from "./who-prompted.ts";

type Source = InputEvent["source"];

function input(text: string, source: Source, streamingBehavior?: "steer" | "followUp"): InputEvent {
  return { type: "input", text, source, ...(streamingBehavior && { streamingBehavior }) };
}

const runStarts = { type: "before_agent_start", messageType: "user" } as unknown as BeforeAgentStartEvent;
const customRunStarts = {
  type: "before_agent_start",
  messageType: "custom",
} as unknown as BeforeAgentStartEvent;

test.each(["interactive", "rpc"] as const)("%s input is a person's prompt", (source) => {
  const who = createWhoPrompted();
  who.onInput(input("go", source));
  expect(who.isPersonsPrompt(runStarts)).toBe(true);
});

test("input from another extension is not, also right after a person's prompt", () => {
  const who = createWhoPrompted();
  who.onInput(input("go", "interactive"));
  who.isPersonsPrompt(runStarts);
  who.onInput(input("continue", "extension"));
  expect(who.isPersonsPrompt(runStarts)).toBe(false);
});

test("a run that another extension's custom message starts is not a person's, whatever came before", () => {
  const who = createWhoPrompted();
  who.onInput(input("handled by someone", "interactive"));
  expect(who.isPersonsPrompt(customRunStarts)).toBe(false);
});

test("the prompt's own message is not a follow-up", () => {
  const who = createWhoPrompted();
  who.onInput(input("left over", "interactive", "followUp"));
  who.onInput(input("go", "interactive"));
  who.isPersonsPrompt(runStarts);
  expect(who.isPersonsFollowUp("go")).toBe(false);
  expect(who.isPersonsFollowUp("left over")).toBe(true);
});

test("a queued message is told apart by who queued it and how", () => {
  const who = createWhoPrompted();
  who.onInput(input("steered", "interactive", "steer"));
  who.onInput(input("queued", "rpc", "followUp"));
  who.onInput(input("by a program", "extension", "followUp"));
  expect(who.isPersonsFollowUp("steered")).toBe(false);
  expect(who.isPersonsFollowUp("queued")).toBe(true);
  expect(who.isPersonsFollowUp("by a program")).toBe(false);
});

test("a message rewritten on its way is taken for the next of its queue, steering first", () => {
  const who = createWhoPrompted();
  who.onInput(input("/template", "interactive", "followUp"));
  who.onInput(input("/skill:x", "interactive", "steer"));
  expect(who.isPersonsFollowUp("the skill's text")).toBe(false);
  expect(who.isPersonsFollowUp("the template's text")).toBe(true);
  expect(who.isPersonsFollowUp("out of nowhere")).toBe(false);
});

test("a queue that was given up is forgotten", () => {
  const who = createWhoPrompted();
  who.onInput(input("queued", "interactive", "followUp"));
  who.forgetQueue();
  expect(who.isPersonsFollowUp("queued")).toBe(false);
});
