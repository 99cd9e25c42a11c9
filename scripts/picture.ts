/** Makes the pictures in docs from the real screen of the real Pi. Needs tmux. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  createSandbox,
  openTui,
  type Script,
  stalls,
  startScriptedModel,
  type TuiPi,
  tmuxAvailable,
} from "@turn-limit/rig";
import { extension, installedPi, repository } from "./installed-pi.ts";
import { readScreen } from "./picture/ansi.ts";
import { modelCost, prompt, stuckAgent, testScript } from "./picture/stuck-agent.ts";
import { drawSvg } from "./picture/svg.ts";

/** What is to be seen, and how to get there. */
interface Picture {
  file: string;
  description: string;
  rows: number;
  settings: Record<string, unknown>;
  script: Script;
  play(pi: TuiPi): Promise<void>;
}

const columns = 90;
const pictures: Picture[] = [
  {
    file: "question.svg",
    description: "Pi at the turn limit: Turns: 25/25, and the question whether to continue, yes or no",
    rows: 25,
    settings: {},
    script: stuckAgent,
    async play(pi) {
      await pi.submit(prompt);
      await pi.waitFor(/Continue\?[\s\S]*Escape no/);
    },
  },
  {
    file: "limits.svg",
    description: "The limits in Pi: a bar for each, what is used, the maximum, and where it came from",
    rows: 22,
    settings: {
      turns: 30,
      steps: 40,
      tokens: "250k",
      cost: 1,
      time: "10m",
      tools: { bash: 26 },
      repeats: 30,
    },
    script: (request) => (request.index < 20 ? stuckAgent(request) : stalls()),
    async play(pi) {
      await pi.submit(prompt);
      await pi.waitFor("Turns: 20/30");
      await pi.submit("/limits");
      await pi.waitFor("Escape closes");
    },
  },
];

async function take({ file, description, rows, settings, script, play }: Picture): Promise<void> {
  await using model = await startScriptedModel(script);
  await using sandbox = await createSandbox({ baseUrl: model.baseUrl, modelCost });
  await sandbox.writeUserConfig(settings);
  await writeFile(join(sandbox.projectDir, "run-tests"), testScript, { mode: 0o755 });
  await using pi = await openTui({
    host: installedPi(),
    sandbox,
    args: ["-e", extension],
    // With the home one level up, Pi shows ~/project instead of a random path.
    env: { HOME: sandbox.root, COLORTERM: "truecolor" },
    cols: columns,
    rows,
  });
  await play(pi);

  const lines = readScreen(await pi.screenWithColours());
  const target = join(repository, "docs", file);
  await mkdir(join(repository, "docs"), { recursive: true });
  await writeFile(target, drawSvg({ title: "pi", description, columns, lines }));
  console.log(`Wrote ${relative(process.cwd(), target)}`);
}

if (!(await tmuxAvailable())) throw new Error("Pictures are taken in tmux, which is not installed here.");
for (const picture of pictures) await take(picture);
