import { expect, test } from "vitest";
import { agent, PROFILE, statuses } from "./an-agent.ts";
import { recordingProvider } from "./recording-provider.ts";

test("a prompt starts the limits over once: not when another one was seen meanwhile, and not by a late retry", async () => {
  const provider = await recordingProvider();
  const { send } = await agent({ turns: 2, profile: PROFILE }, provider);
  const turn = (talk: string, prompt: string) => send("turn", { "x-talk": talk, "x-prompt": prompt });
  const answers = [
    await turn("one", "a"),
    await turn("two", "b"),
    await turn("one", "a"),
    await turn("two", "b"),
    await turn("one", "a"),
    await turn("two", "b"),
  ];
  // The fourth is the text that ends the loop.
  expect(statuses(answers)).toEqual([200, 200, 200, 200, 402, 402]);
  expect(provider.received).toHaveLength(3);
  expect((await turn("one", "c")).status).toBe(200);
  expect(provider.received).toHaveLength(4);
});
