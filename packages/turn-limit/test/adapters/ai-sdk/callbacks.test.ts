import { generateText, isLoopFinished, streamText, ToolLoopAgent } from "ai";
import { expect, test } from "vitest";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import { scripted } from "./settings.ts";

const NAMES = [
  "onStart",
  "experimental_onStart",
  "onStepStart",
  "experimental_onStepStart",
  "onLanguageModelCallStart",
  "experimental_onLanguageModelCallStart",
  "onLanguageModelCallEnd",
  "experimental_onLanguageModelCallEnd",
  "onToolExecutionStart",
  "experimental_onToolCallStart",
  "onToolExecutionEnd",
  "experimental_onToolCallFinish",
  "onStepEnd",
  "onStepFinish",
  "onEnd",
  "onFinish",
] as const;
const ALIASES = [
  "experimental_onStart",
  "experimental_onStepStart",
  "experimental_onLanguageModelCallStart",
  "experimental_onLanguageModelCallEnd",
  "experimental_onToolCallStart",
  "experimental_onToolCallFinish",
  "onStepFinish",
  "onFinish",
] as const;

const limits = limitToolLoop({ turns: 9, steps: 9 });
const agentOf = (settings: Settings, isGoverned: boolean) =>
  new ToolLoopAgent(isGoverned ? limits.govern(settings) : settings);

/** Which of the caller's callbacks were called, in order. */
async function called(play: Play, names: readonly string[], isGoverned: boolean): Promise<string[]> {
  const lines: string[] = [];
  const callbacks = Object.fromEntries(names.map((name) => [name, () => void lines.push(name)]));
  const { settings } = scripted(({ index }) => (index > 2 ? { text: "done" } : { calls: 2 }));
  await play({ ...settings, stopWhen: isLoopFinished(), ...callbacks }, isGoverned);
  return lines;
}

type Settings = ReturnType<typeof scripted>["settings"] & { stopWhen: ReturnType<typeof isLoopFinished> };
type Play = (settings: Settings, isGoverned: boolean) => Promise<unknown>;

const plays: [string, Play][] = [
  [
    "generateText",
    (settings, isGoverned) => {
      const call = { ...settings, prompt: "go" };
      return generateText(isGoverned ? limits.govern(call) : call);
    },
  ],
  [
    "streamText",
    async (settings, isGoverned) => {
      const call = { ...settings, prompt: "go" };
      await streamText(isGoverned ? limits.govern(call) : call).consumeStream();
    },
  ],
  [
    "generate() of an agent",
    (settings, isGoverned) => agentOf(settings, isGoverned).generate({ prompt: "go" }),
  ],
  [
    "stream() of an agent",
    async (settings, isGoverned) => {
      await (await agentOf(settings, isGoverned).stream({ prompt: "go" })).consumeStream();
    },
  ],
];

test.each(plays)("the caller's callbacks are called in %s as they are without limits", async (_, play) => {
  for (const names of [NAMES, ALIASES]) {
    const alone = await called(play, names, false);
    expect(alone.length).toBeGreaterThan(10);
    expect(await called(play, names, true)).toEqual(alone);
  }
});

test("callbacks given to an agent's call are called beside those of the agent", async () => {
  const { settings } = scripted(() => ({ text: "done" }));
  const lines: string[] = [];
  const agent = new ToolLoopAgent(
    limits.govern({
      ...settings,
      onStart: () => void lines.push("agent starts"),
      onFinish: () => void lines.push("agent ends"),
    }),
  );

  await agent.generate({
    prompt: "go",
    onStart: () => void lines.push("call starts"),
    onEnd: () => void lines.push("call ends"),
  });

  expect(lines).toEqual(["agent starts", "call starts", "agent ends", "call ends"]);
});

test("all stop conditions of the caller are asked, as the SDK does", async () => {
  const { settings } = scripted();
  const asked: string[] = [];
  const condition = (name: string) => () => {
    asked.push(name);
    return true;
  };

  const stopWhen = [condition("first"), condition("second")];
  await generateText(limits.govern({ ...settings, prompt: "go", stopWhen }));

  expect(asked).toEqual(["first", "second"]);
});
