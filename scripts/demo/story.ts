import { setTimeout as pause } from "node:timers/promises";
import { bash, calls, type ModelRequest, type Script, slow, turnOf, withText } from "@turn-limit/rig";

/** The limit the story is told with. */
export const limit = 5;

/** What the person is supposed to have typed. */
export const prompt = "Show me the turn limit.";

/** The files that the model looks at. */
export const projectFiles = {
  "README.md": "# A small project\n\nNothing in here is worth keeping.\n",
  "fruit.txt": "pear\napple\nquince\n",
};

const harmless = ["ls", "cat fruit.txt", "sort fruit.txt", "wc -l fruit.txt", "head -n 1 README.md"];

const introduction =
  "I am a scripted model: no key, no network, and I never finish by myself. I keep calling harmless tools. " +
  `Watch **Turns** count: the limit is ${limit}, so before turn ${limit + 1} you will be asked.`;

const choices =
  "When you are asked: **Yes**, and the counter starts over and I go on. **No**, and I stop; then try " +
  "`/turn-limit 10` and type anything. Ctrl+C twice leaves.";

/** A model that never finishes by itself, and says what there is to see. */
export function story(turnMs: number): Script {
  return (request) => {
    const turn = turnOf(request);
    const command = harmless[(turn - 1) % harmless.length] ?? "ls";
    const answer = withText(narration(turn, promptsIn(request)), calls(bash(command)));
    return turnMs > 0 ? slow(answer, pause(turnMs)) : answer;
  };
}

function narration(turn: number, prompts: number): string {
  if (prompts > 1) return turn === 1 ? "A new prompt, so the counter started over. Off I go again." : "";
  if (turn === 1) return introduction;
  if (turn % limit === 0) return choices;
  return turn % limit === 1 ? "You let me go on." : "";
}

function promptsIn({ messages }: ModelRequest): number {
  return messages.filter(({ role }) => role === "user").length;
}
