import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Addresses } from "../gateway/gateway.ts";
import { launcherNamed } from "./agent-in-line.ts";
import { environmentFor, LAUNCHERS, launched } from "./launch.ts";
import { type AboutToStart, askToLaunch, type LaunchReply, openLaunchService } from "./launch-service.ts";
import { type Launcher, type PersonsFiles, personsFiles, type Start, type Way } from "./launcher.ts";
import { PrivateFolder } from "./private-folder.ts";
import { LAUNCH, Shims, serviceIn } from "./shims.ts";

interface LaunchOptions {
  readonly addresses: Addresses;
  /** The environment and the files of the person who started the run. */
  readonly env: Start["env"];
  readonly files: PersonsFiles;
  /** Further variables, and the providers that they stand for. */
  readonly routes: Readonly<Record<string, string>>;
  /** Is the person asked in the agent's own dialog? */
  readonly asksInDialog: boolean;
  /** An agent below the run is not started, for this reason. */
  onRefused(reason: string): void;
}

/** What makes agents below a run talk to the gateway, wherever and however they are started. */
export interface Launch {
  /** The environment for every program. */
  readonly env: Start["env"];
  /** A command line that starts agents so that they talk to the gateway. */
  lineOf(line: readonly string[]): string[];
  /** How this agent is started, if it is not found by its name. */
  startOf(launcher: Launcher, args: readonly string[]): Promise<Start>;
  close(): void;
}

const COMMANDS = LAUNCHERS.flatMap(({ commands }) => commands);
const PROGRAMS = Object.fromEntries(
  LAUNCHERS.flatMap(({ packages, commands }) => packages.map((name) => [name, commands[0] ?? ""])),
);
const HAS_SHIMS = process.platform !== "win32";

/** Opens what agents below a run are started by. To be closed when the run ends. */
export async function openLaunch(options: LaunchOptions): Promise<Launch> {
  const { addresses, env, files, routes, asksInDialog, onRefused } = options;
  const folder = new PrivateFolder();
  const path = HAS_SHIMS ? join(folder.path, "launch") : `\\\\.\\pipe\\turn-limit-${randomUUID()}`;
  const shims = new Shims(folder, path, HAS_SHIMS ? COMMANDS : [], PROGRAMS);
  let kept = 0;
  const wayFrom = (files: PersonsFiles): Way => ({
    addresses,
    files,
    asksInDialog,
    keep: (name, text) => folder.write(join("kept", `${++kept}`, name), text),
  });
  const ours = environmentFor(env, wayFrom(files), routes);
  const outer = serviceIn(env);

  const launch = async (launcher: Launcher, about: AboutToStart): Promise<LaunchReply> => {
    const own = personsFiles(about.folder, about.env.HOME || files.home);
    // Within another run the agent is led to that one's gateway first, which this one then leads to.
    const asked = { ...about, env: withoutOurs(about.env, ours, env) };
    const led = outer === undefined ? { start: asked } : await askToLaunch(outer, asked);
    if ("problem" in led) return led;
    const problem = isAboutItself(about.args) ? undefined : launcher.problem(led.start, own);
    if (problem !== undefined)
      return { problem: `${launcher.name} cannot be held to limits here: ${problem}.` };
    const { args, env: set } = launched(launcher, led.start, wayFrom(own), routes);
    return { start: { args, env: set[LAUNCH] === undefined ? shims.environment(set) : set } };
  };

  const service = await openLaunchService(path, async (about) => {
    const launcher = launcherNamed(about.program);
    if (!launcher) return { start: about };
    const reply = await launch(launcher, about);
    if ("problem" in reply) onRefused(reply.problem);
    return reply;
  });
  return {
    env: shims.environment(ours),
    lineOf: (line) => (HAS_SHIMS ? shims.withoutPaths(line, files) : [...line]),
    startOf: async (launcher, args) => {
      const [program = ""] = launcher.commands;
      const reply = await launch(launcher, {
        program,
        args,
        env: shims.environment(ours),
        folder: files.folder,
      });
      if ("problem" in reply) throw new Error(reply.problem);
      return reply.start;
    },
    close: () => {
      service.close();
      folder.remove();
    },
  };
}

/** The environment as it would be if this run had set nothing in it. What programs below have changed stays. */
function withoutOurs(env: Start["env"], ours: Start["env"], before: Start["env"]): Start["env"] {
  const restored = Object.entries(env).map(([name, value]) => [
    name,
    value === ours[name] ? before[name] : value,
  ]);
  return Object.fromEntries(restored.filter(([, value]) => value !== undefined));
}

const ABOUT_ITSELF = ["--version", "-v", "-V", "--help", "-h"];

function isAboutItself(args: readonly string[]): boolean {
  return args.length === 1 && ABOUT_ITSELF.includes(args[0] ?? "");
}
