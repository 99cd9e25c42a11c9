import { expect, test } from "vitest";
import { agent, PROFILE, statuses } from "./an-agent.ts";
import { answerWith, recordingProvider } from "./recording-provider.ts";

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

test("a request in flight when another prompt starts the limits over counts in what follows", async () => {
  let answerFirst = () => {};
  const provider = await recordingProvider((request, response, number) => {
    const answer = () => answerWith("ok")(request, response, number);
    if (number > 1) return answer();
    answerFirst = answer;
  });
  const { send, close } = await agent({ turns: 5, tokens: 20, profile: PROFILE }, provider);
  const first = send("turn", { "x-talk": "one", "x-prompt": "a" });
  await expect.poll(() => provider.received.length).toBe(1);
  expect((await send("turn", { "x-talk": "two", "x-prompt": "b" })).status).toBe(200);
  answerFirst();
  expect((await first).status).toBe(200);
  // Both answers took 10 tokens.
  const { text } = await send("turn", { "x-talk": "two", "x-prompt": "b" });
  expect(text).toContain("Token limit reached (20/20)");
  expect(provider.received).toHaveLength(2);
  expect(await close()).toMatchObject({ usage: { input: 14, output: 6 }, endedBy: { limit: "tokens" } });
});
