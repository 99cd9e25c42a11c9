/** Makes docs/question.svg from the real screen of the real Pi at the question. Needs tmux. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { createSandbox, openTui, startScriptedModel, tmuxAvailable } from "@turn-limit/rig";
import { extension, installedPi, repository } from "./installed-pi.ts";
import { readScreen } from "./picture/ansi.ts";
import { prompt, stuckAgent, testScript } from "./picture/stuck-agent.ts";
import { drawSvg } from "./picture/svg.ts";

const columns = 90;
const rows = 25;
const description = "Pi at the turn limit: Turns: 25/25, and the question whether to continue, yes or no";
const target = join(repository, "docs", "question.svg");

if (!(await tmuxAvailable())) throw new Error("The picture is taken in tmux, which is not installed here.");

await using model = await startScriptedModel(stuckAgent);
await using sandbox = await createSandbox({ baseUrl: model.baseUrl });
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
await pi.submit(prompt);
await pi.waitFor(/Continue\?[\s\S]*cancel/);

const lines = readScreen(await pi.screenWithColours());
await mkdir(join(repository, "docs"), { recursive: true });
await writeFile(target, drawSvg({ title: "pi", description, columns, lines }));
console.log(`Wrote ${relative(process.cwd(), target)}`);
