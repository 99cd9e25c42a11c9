import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { competitors } from "./competitors.ts";
import { GUARD } from "./play-trial.ts";

/** What is played, and what the columns mean. */
export async function agentsIntroduction(): Promise<string> {
  const versions = await Promise.all(
    competitors.map(async (each) => `${each.name} ${await versionOf(each.package)}`),
  );
  return `The real programs, headless, each in a home of its own and against a scripted provider that counts: ${versions.join(", ")}.

- **requests**: requests that reached the provider, those of sub-agents, retries and titles included (opencode asks for a title once)
- **tools run**: shell commands that ran, counted by what they left behind
- **answer**: did the model's final text come out on standard output?
- **exit code**: 86 is that of \`turn-limit run\` when a limit ended the run; – if the trial had to end the agent
- **reason**: what tells the caller why the run ended: for \`turn-limit run\` its line on standard error up to the numbers, for others the last line about a limit, or the last line of an agent that gave no answer; before it, what the run waited for

An agent that does not end is ended by the trial after ${GUARD} requests. \`turn-limit run\` holds all of them by turns, for which a
retry or a title is none. Nobody is asked in these trials, but for the last: there the agent has its own screen, the person presses
one key once nothing more is sent, which says yes where a question is open, and the turns of its main loop are counted.

Where the next day comes, the clock of turn-limit goes on by a day as soon as a run says that it waits. Earlier runs are not played:
they are in the store of \`turn-limit run\`, and in a session file of Pi's for \`pi-turn-limit\`, as runs leave them there.

What the agents do about loops by themselves is played as it comes, without a setting. Where the answer is wanted in a form, \`answer\`
says whether it came out in that form; where the model is to be told what it has left, the model finishes when it reads that, by
whichever words.

Where turn-limit takes more: its last answer is one request beyond the limit, where opencode's \`steps\` makes a model that obeys answer
in the last one. And it ends a run before the next request, so the tools of the turn that went over the budget still ran; Claude Code's
\`--max-budget-usd\` leaves them out. A budget of dollars needs a model with a price in the list: each agent is given one in that trial.`;
}

async function versionOf(name: string): Promise<string> {
  const root = join(import.meta.dirname, "..", "..");
  const files = [join(root, "agents", "package.json"), join(root, "package.json")];
  for (const file of files) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(await readFile(file, "utf8"));
    const version: string | undefined = dependencies[name] ?? devDependencies[name];
    if (version !== undefined) return version.replace(/^npm:.*@/, "");
  }
  throw new Error(`No package.json pins the version of ${name}.`);
}
