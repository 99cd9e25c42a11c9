import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cleanEnvironment } from "./clean-environment.ts";

/** What the scripted model costs, in dollars per million tokens. */
export interface ModelCost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** What a sandbox contains. */
export interface SandboxOptions {
  /** Where the scripted model listens. */
  baseUrl: string;
  /** The user's Pi settings, in addition to those of the rig, which make Pi quick and quiet. */
  settings?: Record<string, unknown>;
  /** Pi settings of the project. They make Pi ask for trust unless `trusted` is given. */
  projectSettings?: Record<string, unknown>;
  modelCost?: Partial<ModelCost>;
  /** For how many seconds the provider keeps a prompt in its cache. Pi refreshes the cache before they are over. */
  cacheSeconds?: number;
  contextWindow?: number;
  /** Whether Pi trusts the project. If left out, Pi decides as usual. */
  trusted?: boolean;
}

/** A home, an agent folder and a project of its own for one Pi. */
export interface Sandbox extends AsyncDisposable {
  readonly root: string;
  readonly agentDir: string;
  /** The project folder, in which Pi is started. */
  readonly projectDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** The arguments that settle the question of trust. */
  readonly trustArgs: readonly string[];
  /** Writes the user's `turn-limit.json`: an object as JSON, a string as it is. */
  writeUserConfig(config: unknown): Promise<string>;
  /** Writes the project's `.pi/turn-limit.json`: an object as JSON, a string as it is. */
  writeProjectConfig(config: unknown): Promise<string>;
  remove(): Promise<void>;
}

const quickAndQuiet = {
  retry: { enabled: true, maxRetries: 3, baseDelayMs: 20 },
  quietStartup: true,
  theme: "dark",
  collapseChangelog: true,
  enableInstallTelemetry: false,
};

/**
 * Makes a temporary home for one Pi that knows only the scripted model.
 *
 * @example
 * await using sandbox = await createSandbox({ baseUrl: model.baseUrl, trusted: true });
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  // The real path, because Pi compares canonical paths.
  const root = await realpath(await mkdtemp(join(tmpdir(), "turn-limit-rig-")));
  const agentDir = join(root, "agent");
  const projectDir = join(root, "project");
  await mkdir(join(root, "home"));
  await mkdir(projectDir);
  await writeConfig(join(agentDir, "models.json"), { providers: { scripted: scriptedProvider(options) } });
  await writeConfig(join(agentDir, "settings.json"), { ...quickAndQuiet, ...options.settings });
  await standInForSearchTools(join(agentDir, "bin"));
  if (options.projectSettings) {
    await writeConfig(join(projectDir, ".pi", "settings.json"), options.projectSettings);
  }

  const remove = () => rm(root, { recursive: true, force: true, maxRetries: 5 });
  return {
    root,
    agentDir,
    projectDir,
    env: cleanEnvironment({ home: join(root, "home"), agentDir }),
    trustArgs: trustArgs(options.trusted),
    writeUserConfig: (config) => writeConfig(join(agentDir, "turn-limit.json"), config),
    writeProjectConfig: (config) => writeConfig(join(projectDir, ".pi", "turn-limit.json"), config),
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

function scriptedProvider(options: SandboxOptions): object {
  const { baseUrl, modelCost, cacheSeconds, contextWindow = 200_000 } = options;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...modelCost };
  const promptCache = cacheSeconds === undefined ? {} : { promptCache: { short: cacheSeconds } };
  return {
    baseUrl,
    api: "openai-completions",
    apiKey: "none-needed",
    models: [{ id: "scripted-model", contextWindow, maxTokens: 8_192, cost, ...promptCache }],
  };
}

// Pi looks for fd and ripgrep here first, and without them warns on the screen when it is offline.
async function standInForSearchTools(bin: string): Promise<void> {
  await mkdir(bin, { recursive: true });
  for (const tool of ["fd", "rg"]) await writeFile(join(bin, tool), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
}

function trustArgs(trusted: boolean | undefined): string[] {
  if (trusted === undefined) return [];
  return [trusted ? "--approve" : "--no-approve"];
}

async function writeConfig(path: string, config: unknown): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof config === "string" ? config : `${JSON.stringify(config, null, 2)}\n`);
  return path;
}
