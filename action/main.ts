// The GitHub Action around `turn-limit run`. It runs from this repository's sources, so that nothing has to be built; only the
// list of prices is installed, at the version that the lock file beside this file names.
import { registerHooks } from "node:module";
import { runCommand } from "../packages/turn-limit/src/command/dispatch.ts";
import type { RunReport } from "../packages/turn-limit/src/command/run/summary.ts";
import { openStore } from "../packages/turn-limit/src/command/stores.ts";
import { input, runArguments, wrongInputs } from "./inputs.ts";
import { installPrices } from "./prices.ts";
import { annotation, jobSummary, outputs } from "./report.ts";
import { agentVariables, withoutCommands, writeOutputs, writeSummary } from "./runner.ts";

const { stdin, stdout, env } = process;

/** What `turn-limit run` says: the report of the run, and before it what a person should know at once. */
class Said {
  report: RunReport | undefined;
  lastLine = "";

  write(text: string): void {
    if (text.startsWith("{")) {
      this.report = JSON.parse(text);
      return;
    }
    this.lastLine = text.trim() || this.lastLine;
    process.stderr.write(text);
  }
}

async function run(said: Said): Promise<number> {
  const wrong = wrongInputs(env);
  if (wrong !== undefined) {
    said.write(`${wrong}\n`);
    return 2;
  }
  installPrices(import.meta.dirname);
  // The sources look for the list of prices beside themselves.
  registerHooks({
    resolve: (specifier, context, next) =>
      next(
        specifier,
        specifier.startsWith("@pydantic/") ? { ...context, parentURL: import.meta.url } : context,
      ),
  });
  process.chdir(input(env, "working-directory") || ".");
  const around = { stdin, stdout, stderr: said, env: agentVariables(env), openStore };
  return withoutCommands(() => runCommand(runArguments(env), around));
}

const said = new Said();
const exitCode = await run(said);
const { report, lastLine } = said;
if (report) console.error(`turn-limit: ${report.text}`);

writeOutputs(env, outputs(report, exitCode));
if (report) writeSummary(env, jobSummary(report));

const maySucceed = report?.limited === true && input(env, "fail-at-limit") === "false";
if (exitCode !== 0) console.log(annotation(maySucceed ? "warning" : "error", report, lastLine));
process.exitCode = maySucceed ? 0 : exitCode;
