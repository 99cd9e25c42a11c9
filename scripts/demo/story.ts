import { setTimeout as pause } from "node:timers/promises";
import {
  type Answer,
  bash,
  calls,
  type ModelRequest,
  type Script,
  says,
  slow,
  turnOf,
  withText,
} from "@turn-limit/rig";
import { DEFAULT_WRAP_UP_MESSAGE } from "turn-limit";

/** The turn limit the story is told with. */
export const limit = 5;

/** What the person is supposed to have typed. */
export const prompt = "Show me the turn limit.";

/** The files that the model looks at. */
export const projectFiles = {
  "README.md": "# A small project\n\nNothing in here is worth keeping.\n",
  "fruit.txt": "pear\napple\nquince\n",
};

/** What the model answers when it is told to wrap up. */
export const partialResult =
  "I was told to wrap up, so this is what I have: three fruits, in no order. Left to do: the rest.";

/** What the model answers when it is offered no tools. */
export const synthesis = "Without tools I can only tell what I saw: a README and a list of three fruits.";

const harmless = ["ls", "cat fruit.txt", "sort fruit.txt", "wc -l fruit.txt", "head -n 1 README.md"];

/** What the model is supposed to cost, in dollars per million tokens: two cents an answer. */
export const modelCost = { input: 100, output: 500 };

/** The settings of the person who watches: the question is a menu. */
export const watchersSettings = { boundary: "menu" };

const introduction =
  "I am a scripted model: no key, no network, and I never finish by myself. I keep calling harmless tools. " +
  `Watch **Turns** count: the limit is ${limit}, so before turn ${limit + 1} you will be asked.`;

const choices = [
  'Now you are asked, here with the menu (`"boundary": "menu"` in `turn-limit.json`; without it, yes or no). ' +
    "**Continue** starts the counter over, **Wrap up now** lets me answer, **Stop** stops me. You can also type on: " +
    "your text is never an answer. Then try one of these, and prompt me again with anything:",
  "- `/limits`: every limit on one screen; Enter edits, `u` removes, `s` saves to your settings\n" +
    "- `/cost-limit $0.10`: I pretend to cost two cents an answer; `/cost-limit default` takes it back\n" +
    "- `/step-limit 3`: no fourth tool call; with `/step-limit 3 synthesize` I answer from what I saw\n" +
    "- `/turn-limit 10 grace 7`: I am told to wrap up 7 turns before the end, and I obey\n" +
    "- `/wrap-up` while I work: I am told now",
  "Ctrl+C twice leaves.",
].join("\n\n");

/** A model that only finishes when it is made to, and explains what can be seen. */
export function story(turnMs: number): Script {
  return (request) => {
    const answer = answerTo(request);
    return turnMs > 0 ? slow(answer, pause(turnMs)) : answer;
  };
}

function answerTo(request: ModelRequest): Answer {
  if (request.toolNames.length === 0) return says(synthesis);
  if (request.lastUserText === DEFAULT_WRAP_UP_MESSAGE) return says(partialResult);
  const turn = turnOf(request);
  const command = harmless[(turn - 1) % harmless.length] ?? "ls";
  return withText(narration(turn, promptsIn(request)), calls(bash(command)));
}

function narration(turn: number, prompts: number): string {
  if (prompts > 1) return turn === 1 ? "A new prompt, so the counters started over. Off I go again." : "";
  if (turn === 1) return introduction;
  if (turn % limit === 0) return choices;
  return turn % limit === 1 ? "You let me go on." : "";
}

function promptsIn({ messages }: ModelRequest): number {
  return messages.filter(({ role }) => role === "user").length;
}
