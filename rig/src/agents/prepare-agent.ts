import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentFolders, AgentKind, AgentName, AgentProvider } from "./agent-kind.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";
import { type Snapshot, snapshotOf } from "./snapshot-of.ts";

const kinds: Record<AgentName, AgentKind> = {
  "claude-code": claudeCode,
  codex,
  opencode,
  "gemini-cli": geminiCli,
  "qwen-code": qwenCode,
  pi,
};

/** Every agent that can be prepared. */
export const agentNames = Object.keys(kinds) as AgentName[];

/** An agent with a home and a project of its own, set up for one provider. */
export interface PreparedAgent extends AgentFolders, AsyncDisposable {
  readonly kind: AgentKind;
  /** The folder that holds everything of this agent. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** The hashes of all files in the home that a person wrote, without those that the agent writes by itself. */
  configSnapshot(): Promise<Snapshot>;
  remove(): Promise<void>;
}

// Nobody listens there: what an agent sends anywhere but to this machine fails at once.
const nowhere = "http://127.0.0.1:9";
const installed = fileURLToPath(new URL("../../../agents/node_modules/.bin", import.meta.url));
const otherVersions = fileURLToPath(
  new URL("../../../agents/other-versions/node_modules/.bin", import.meta.url),
);

/**
 * Makes a temporary home in which an agent knows only the provider given, with a key that is not real.
 *
 * @example
 * await using agent = await prepareAgent("codex", { providerAddress: provider.address });
 */
export async function prepareAgent(name: AgentName, provider: AgentProvider): Promise<PreparedAgent> {
  const kind = kinds[name];
  // The real path, because agents compare canonical paths.
  const root = await realpath(await mkdtemp(join(tmpdir(), "turn-limit-agent-")));
  const folders = { home: join(root, "home"), project: join(root, "project") };
  await mkdir(folders.home);
  await mkdir(folders.project);
  const temporary = join(root, "temporary");
  await mkdir(temporary);
  const bin = join(root, "bin");
  await mkdir(bin);
  const program = provider.otherVersion ? kind.otherProgram : kind.program;
  if (program) await symlink(program, join(bin, kind.command[0]));
  for (const [path, text] of kind.config(folders, provider)) {
    const file = join(folders.home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const remove = () => rm(root, { recursive: true, force: true, maxRetries: 5 });
  return {
    ...folders,
    kind,
    root,
    env: {
      ...bareEnvironment(folders.home, [bin, provider.otherVersion ? otherVersions : installed]),
      TMPDIR: temporary,
      // Where `turn-limit run` lists its runs: beside the home, in which only what a person wrote and the agent count.
      TURN_LIMIT_STORE: join(root, "runs.sqlite"),
      ...kind.environment(folders, provider),
    },
    configSnapshot: () => snapshotOf(folders.home, (path) => !kind.writes.test(path)),
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

function bareEnvironment(home: string, programs: readonly string[]): Record<string, string> {
  const path = [...programs, dirname(process.execPath), process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin"];
  return {
    PATH: path.join(delimiter),
    ...(process.env.TZ && { TZ: process.env.TZ }),
    HOME: home,
    USERPROFILE: home,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    HTTPS_PROXY: nowhere,
    NO_PROXY: "127.0.0.1,localhost",
    npm_config_registry: nowhere,
    npm_config_offline: "true",
  };
}
