/** Makes the pictures in docs from the real screens of the real programs. Needs tmux, and the agents that the tests use. */
import { symlink, writeFile } from "node:fs/promises";
import { delimiter, join, relative } from "node:path";
import {
  byKind,
  createSandbox,
  openTerminal,
  openTui,
  prepareAgent,
  type Script,
  stalls,
  startScriptedModel,
  startScriptedProvider,
  type TuiPi,
  tmuxAvailable,
  worksFor,
} from "@turn-limit/rig";
import { extension, installedPi, repository } from "./installed-pi.ts";
import { madeFrom } from "./made-from.mjs";
import { readScreen } from "./picture/ansi.ts";
import { takeDashboard } from "./picture/dashboard.ts";
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

/** A picture that was taken. */
interface Drawn {
  file: string;
  svg: string;
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
    rows: 24,
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

async function take({ file, description, rows, settings, script, play }: Picture): Promise<Drawn> {
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

  return draw(file, "pi", description, await pi.screenWithColours());
}

/** A run of Claude Code that asks on its terminal, from the command to the summary. */
async function takeRun(): Promise<Drawn> {
  const answer = "The tests pass: the date was read in the wrong time zone.";
  await using provider = await startScriptedProvider(byKind({ main: worksFor(7, answer) }));
  await using agent = await prepareAgent("claude-code", { providerAddress: provider.address });
  const bin = join(agent.root, "bin");
  await symlink(
    join(repository, "packages", "turn-limit", "dist", "command", "turn-limit.js"),
    join(bin, "turn-limit"),
  );
  await using terminal = await openTerminal({
    folder: agent.root,
    command: ["bash", "--norc"],
    cwd: agent.project,
    env: { ...agent.env, PATH: `${bin}${delimiter}${agent.env.PATH}`, PS1: "$ ", TERM: "xterm-256color" },
    cols: columns,
    rows: 9,
    ready: "$",
  });
  await terminal.submit(`turn-limit run --max-turns 5 -- claude -p "Make the tests pass."`);
  await terminal.waitFor(/Continue\?/);
  await terminal.submit("3");
  await terminal.waitFor(/turn-limit: .*turns[\s\S]*\n\$/);
  const description =
    "Claude Code under turn-limit run: at 5 of 5 turns it asks, 3 more are allowed, and it finishes";
  return draw("run.svg", "turn-limit run", description, await terminal.screenWithColours());
}

function draw(file: string, title: string, description: string, screen: string): Drawn {
  const lines = readScreen(screen);
  return { file, svg: drawSvg({ title, description, madeFrom: madeFrom(repository), columns, lines }) };
}

if (!(await tmuxAvailable())) throw new Error("Pictures are taken in tmux, which is not installed here.");
const drawn: Drawn[] = [];
for (const picture of pictures) drawn.push(await take(picture));
drawn.push(await takeRun());
const photographed = await takeDashboard();
// All of them, or none.
for (const { file, content } of [
  ...drawn.map(({ file, svg }) => ({ file, content: svg })),
  ...photographed.map(({ file, png }) => ({ file, content: png })),
]) {
  const target = join(repository, "docs", file);
  await writeFile(target, content);
  console.log(`Wrote ${relative(process.cwd(), target)}`);
}
