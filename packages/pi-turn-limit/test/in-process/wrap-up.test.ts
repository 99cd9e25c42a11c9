import { type FauxResponseStep, fauxAssistantMessage, type Message } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { DEFAULT_WRAP_UP_MESSAGE } from "turn-limit";
import { expect, test } from "vitest";
import { keepsWorking, openSession, works } from "./open-session.ts";

/** A model that works until it is told to wrap up, and then does. */
function obeys(message = DEFAULT_WRAP_UP_MESSAGE): FauxResponseStep[] {
  return Array.from(
    { length: 30 },
    () => (context: { messages: Message[] }) =>
      context.messages.some((said) => textOf(said).includes(message))
        ? fauxAssistantMessage("partial answer")
        : works(),
  );
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part ? part.text : "")).join("");
}

function wrapUps(pi: Awaited<ReturnType<typeof openSession>>): number {
  return pi.session.messages.filter((m) => m.role === "custom" && m.customType === "turn-limit:wrap-up")
    .length;
}

test("the model is told with grace turns to go, and what it delivers is the answer [WrapUpDelivered] [RunEndsWarned]", async () => {
  await using pi = await openSession();
  pi.answersWith(...obeys());
  await pi.session.prompt("/turn-limit 6 grace 2");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(5);
  expect(wrapUps(pi)).toBe(1);
  expect(pi.session.getLastAssistantText()).toBe("partial answer");
  expect(pi.outcomes()).toMatchObject([{ outcome: "wrapped-up", turns: 5 }]);
});

test("a model that ignores it is stopped at the limit as always, told once", async () => {
  await using pi = await openSession();
  pi.answersWith(...keepsWorking(20));
  await pi.session.prompt("/turn-limit 6 grace 2");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(6);
  expect(wrapUps(pi)).toBe(1);
  expect(pi.outcomes()).toMatchObject([{ outcome: "stopped", limit: "turns" }]);
});

test("it never causes a turn: an agent that is done is not told", async () => {
  await using pi = await openSession();
  pi.answersWith(...keepsWorking(3), fauxAssistantMessage("done"), fauxAssistantMessage("too much"));
  await pi.session.prompt("/turn-limit 6 grace 2");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(4);
  expect(wrapUps(pi)).toBe(0);
  expect(pi.outcomes()).toEqual([]);
});

test("after a yes it is armed again", async () => {
  const answers = [true, false];
  await using pi = await openSession({ person: { confirm: () => answers.shift() ?? false } });
  pi.answersWith(...keepsWorking(20));
  await pi.session.prompt("/turn-limit 4 grace 1");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(8);
  expect(wrapUps(pi)).toBe(2);
});

test("its text can be set", async () => {
  await using pi = await openSession({ config: { turns: { max: 4, grace: 1, message: "Land the plane." } } });
  pi.answersWith(...obeys("Land the plane."));

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(4);
  expect(pi.outcomes()).toMatchObject([{ outcome: "wrapped-up" }]);
});

test("another extension can offer a grace: the latest number counts, clamped", async () => {
  const offers = (pi: ExtensionAPI) => {
    pi.on("agent_start", () => {
      pi.events.emit("turn-limit:grace", 1);
      pi.events.emit("turn-limit:grace", 99);
    });
  };
  await using pi = await openSession({ extensions: [offers] });
  pi.answersWith(...obeys());
  await pi.session.prompt("/turn-limit 6 grace 2");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(2);
});

test("/wrap-up tells the agent now, also without a limit [WrapUpRequested]", async () => {
  let turn = 0;
  await using pi = await openSession({ person: {} });
  pi.answersWith(
    ...obeys().map(
      (answer) =>
        async (...args: Parameters<Extract<FauxResponseStep, (...a: never[]) => unknown>>) => {
          turn += 1;
          if (turn === 3) await pi.session.prompt("/wrap-up");
          return typeof answer === "function" ? answer(...args) : answer;
        },
    ),
  );
  await pi.session.prompt("/turn-limit unlimited");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(4);
  expect(pi.outcomes()).toMatchObject([{ outcome: "wrapped-up" }]);
});

test("/wrap-up without anything to wrap up says so", async () => {
  await using pi = await openSession({ person: {} });
  await pi.session.prompt("/wrap-up");
  expect(pi.notes).toEqual(["The agent is not working: there is nothing to wrap up."]);
});

test("a steering message that was taken back does not make it due: the agent was done", async () => {
  await using pi = await openSession();
  pi.answersWith(
    works(),
    async () => {
      await pi.session.steer("never mind");
      pi.session.clearQueue();
      return fauxAssistantMessage("done");
    },
    fauxAssistantMessage("too much"),
  );
  await pi.session.prompt("/turn-limit 3 grace 1");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(2);
  expect(wrapUps(pi)).toBe(0);
  expect(pi.outcomes()).toEqual([]);
});

test("/wrap-up a second time says that the agent was told", async () => {
  let turn = 0;
  await using pi = await openSession({ person: {} });
  pi.answersWith(
    ...Array.from({ length: 4 }, () => async () => {
      turn += 1;
      if (turn === 1 || turn === 3) await pi.session.prompt("/wrap-up");
      return turn < 4 ? works() : fauxAssistantMessage("done");
    }),
  );

  await pi.session.prompt("go");

  expect(pi.notes).toEqual([
    "The agent will be told to wrap up before its next turn.",
    "The agent has already been told to wrap up.",
  ]);
});
