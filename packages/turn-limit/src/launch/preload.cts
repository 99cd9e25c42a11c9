/**
 * Every Node program below a run loads this first. If the program is an agent that is written for Node, the run is asked
 * how it is to be started, however it was found: by a path, by npx, or by Node itself. Other programs are left alone.
 * Old versions of Node may load this, too, so it is written without new syntax.
 */
const { spawnSync }: typeof import("node:child_process") = require("node:child_process");
const { readFileSync, realpathSync }: typeof import("node:fs") = require("node:fs");
const { dirname, join }: typeof import("node:path") = require("node:path");

interface ToLaunch {
  /** The program that asks the run, and its first arguments. */
  readonly ask: readonly [string, ...string[]];
  readonly service: string;
  /** The names of agents, by their packages. */
  readonly programs: Readonly<Record<string, string>>;
}

function read(text: string | undefined): ToLaunch | undefined {
  try {
    return JSON.parse(text || "");
  } catch (_) {
    return undefined;
  }
}

/** The name of the package that a script belongs to. */
function packageOf(script: string): string | undefined {
  try {
    for (let folder = dirname(realpathSync(script)); ; folder = dirname(folder)) {
      try {
        const name = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name;
        if (typeof name === "string") return name;
      } catch (_) {}
      if (dirname(folder) === folder) return undefined;
    }
  } catch (_) {
    return undefined;
  }
}

function isStarted(): boolean {
  const started = process.env.TURN_LIMIT_STARTED;
  return started === `${process.pid}` || started === `${process.ppid}`;
}

function launch(toLaunch: ToLaunch, program: string): void {
  const [file, ...first] = toLaunch.ask;
  const args = first.concat(["print", toLaunch.service, program, ""], process.argv.slice(2));
  const { stdout } = spawnSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  let reply: { problem?: string; start?: { args: string[]; env: Record<string, string> } } = {};
  try {
    reply = JSON.parse(stdout);
  } catch (_) {}
  const { start, problem } = reply;
  if (!start) {
    process.stderr.write(
      `turn-limit: ${problem || `${program} is not started: turn-limit run was not reached`}\n`,
    );
    process.exit(1);
  }
  process.argv.splice(2, process.argv.length, ...start.args);
  for (const name of Object.keys(process.env)) if (!(name in start.env)) delete process.env[name];
  Object.assign(process.env, start.env, { TURN_LIMIT_STARTED: `${process.pid}` });
}

const toLaunch = read(process.env.TURN_LIMIT_LAUNCH);
const script = process.argv[1];
if (toLaunch && script && require("node:worker_threads").isMainThread && !isStarted()) {
  const name = packageOf(script);
  const program = name === undefined ? undefined : toLaunch.programs[name];
  if (program) launch(toLaunch, program);
}
