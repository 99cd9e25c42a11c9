import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import {
  createSandbox,
  endless,
  endsAfter,
  type PiHost,
  runPi,
  runPrint,
  startScriptedModel,
} from "@turn-limit/rig";
import { afterAll, beforeAll, expect, test } from "vitest";

const execute = promisify(execFile);
const packages = join(import.meta.dirname, "..", "..");
const workspaceModules = join(packages, "..", "node_modules");
const files: Record<string, string[]> = {};
let folder: string;
let host: PiHost;

// A user's project: our tarballs, installed by npm, beside the Pi that the lock file brought.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packed-"));
  const manifest = { name: "user", private: true, type: "module" };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const tarballs = await Promise.all(["turn-limit", "pi-turn-limit"].map(pack));
  // Offline and without peers, npm has nothing to look up: both packages are without dependencies.
  const args = ["install", "--offline", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  await execute("npm", [...args, ...tarballs], { cwd: folder });
  host = await linkInstalledPi();
});

async function linkInstalledPi(): Promise<PiHost> {
  const name = join("@earendil-works", "pi-coding-agent");
  const link = join(folder, "node_modules", name);
  await mkdir(dirname(link), { recursive: true });
  await symlink(join(workspaceModules, name), link, "dir");
  const { version, bin } = await readManifest(link);
  return { name: "Pi installed beside", version, cli: join(link, bin.pi) };
}

async function readManifest(packageFolder: string) {
  return JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
}

afterAll(() => rm(folder, { recursive: true, force: true }));

async function pack(name: string): Promise<string> {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await execute("npm", args, { cwd: join(packages, name) });
  // npm reports a list, or an object by package name, depending on its version.
  const [packed] = Object.values(JSON.parse(stdout)) as { filename: string; files: { path: string }[] }[];
  if (!packed) throw new Error(`npm pack said nothing about ${name}`);
  files[name] = packed.files.map(({ path }) => path);
  return join(folder, packed.filename);
}

test.each([
  ["imported", 'import { checkTurnLimit, DEFAULT_MAX_TURNS, getMaxTurns } from "pi-turn-limit";', "module"],
  [
    "required",
    'const { checkTurnLimit, DEFAULT_MAX_TURNS, getMaxTurns } = require("pi-turn-limit");',
    "commonjs",
  ],
])("what the extension's package exports can be %s by its names", async (_, load, type) => {
  const use = "console.log(JSON.stringify([DEFAULT_MAX_TURNS, getMaxTurns(), checkTurnLimit(25, 25)]));";
  const args = [`--input-type=${type}`, "--eval", `${load} ${use}`];
  const env = { PATH: process.env.PATH, PI_MAX_TURNS: "7" };
  const { stdout } = await execute(process.execPath, args, { cwd: folder, env });
  expect(JSON.parse(stdout)).toEqual([25, 7, true]);
});

test("the extension's package holds what Pi loads, its schema, its documentation and its specification, and nothing else", () => {
  expect(files["pi-turn-limit"]?.toSorted()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist/cli.cjs",
    "dist/core-notify.cjs",
    "dist/core-parked.cjs",
    "dist/core-progress.cjs",
    "dist/core-sqlite.cjs",
    "dist/extension.cjs",
    "dist/extension.cjs.map",
    "dist/licences.txt",
    "dist/open-dashboard.cjs",
    "dist/page/app.js",
    "dist/page/icon.svg",
    "dist/page/index.html",
    "dist/page/style.css",
    "dist/past-runs.cjs",
    "dist/show-limits-panel.cjs",
    "dist/show-stats.cjs",
    "dist/turn-limit.cjs",
    "docs/boundary.md",
    "docs/configuration.md",
    "docs/limits.md",
    "docs/scripting.md",
    "docs/stats.md",
    "docs/sub-agents.md",
    "package.json",
    "spec/at-the-terminal.allium",
    "spec/extensions.allium",
    "spec/final-tool.allium",
    "spec/limits-from-history.allium",
    "spec/listed-runs.allium",
    "spec/questions.allium",
    "spec/runs.allium",
    "spec/sessions-and-people.allium",
    "spec/settings.allium",
    "spec/shared-budgets.allium",
    "spec/steps-and-calls.allium",
    "spec/subscriptions.allium",
    "spec/time.allium",
    "spec/turn-limit.allium",
    "spec/turns.allium",
    "spec/what-counts.allium",
    "spec/what-is-left.allium",
    "spec/wrap-up-and-synthesis.allium",
    "turn-limit.schema.json",
  ]);
});

test("the installed command reads a history, and the installed extension shows it", async () => {
  await using model = await startScriptedModel(endsAfter(3));
  await using sandbox = await createSandbox(model);
  const args = ["-e", join(folder, "node_modules", "pi-turn-limit")];
  await runPrint({ host, sandbox, prompt: "go", args, session: true });

  const bin = join(folder, "node_modules", ".bin", "pi-turn-limit");
  const { stdout } = await execute(bin, ["stats"], { env: { ...sandbox.env } });
  const { stderr } = await runPrint({ host, sandbox, prompt: "/limits stats", args });

  expect(stdout).toContain("1 prompt in 1 session");
  expect(stderr).toBe(stdout);
});

test("the core's package holds JavaScript and types, and no tests", () => {
  const paths = files["turn-limit"] ?? [];
  expect(paths).toEqual(
    expect.arrayContaining([
      "dist/index.js",
      "dist/index.d.ts",
      "README.md",
      "CHANGELOG.md",
      "docs/limits.md",
    ]),
  );
  expect(paths.filter((path) => /\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([]);
});

test("the installed extension limits an installed Pi", async () => {
  await using model = await startScriptedModel(endless());
  await using sandbox = await createSandbox(model);
  const extension = join(folder, "node_modules", "pi-turn-limit");

  const { code, stderr } = await runPrint({
    host,
    sandbox,
    prompt: "go",
    args: ["-e", extension, "--max-turns", "2"],
  });

  expect(model.requests).toHaveLength(2);
  expect(stderr).toContain("Turn limit reached (2/2)");
  expect(code).toBe(1);
});

test("after `pi install` the extension is there without a flag", async () => {
  await using model = await startScriptedModel(endless());
  await using sandbox = await createSandbox(model);
  const extension = join(folder, "node_modules", "pi-turn-limit");

  const { file, env } = { file: process.execPath, env: { ...sandbox.env } };
  await execute(file, [host.cli, "install", extension], { cwd: sandbox.projectDir, env });
  const { stderr } = await runPi({ host, sandbox, args: ["-p", "go"], env: { PI_MAX_TURNS: "3" } });

  expect(model.requests).toHaveLength(3);
  expect(stderr).toContain("Turn limit reached (3/3)");
});

test("the installed core governs a loop of one's own", async () => {
  const script = `
    import { createGovernor } from "turn-limit";
    const governor = createGovernor({ turns: 3 });
    governor.prompt();
    let requests = 0;
    while (governor.beforeTurn().kind === "proceed") { requests += 1; governor.turnEnded(); }
    console.log(requests, governor.settled().kind);
  `;
  const { stdout } = await execute(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
  expect(stdout.trim()).toBe("3 stopped");
});

test("every entry of the installed core has types", async () => {
  const { exports } = await readManifest(join(folder, "node_modules", "turn-limit"));
  const entries = Object.keys(exports).filter((entry) => exports[entry].types);
  const imports = entries.map((entry, index) => `import * as e${index} from "${join("turn-limit", entry)}";`);
  const uses = entries.map((_, index) => `export type T${index} = keyof typeof e${index};`);
  await writeFile(join(folder, "user.ts"), [...imports, ...uses].join("\n"));

  const tsc = join(workspaceModules, ".bin", "tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", ""];
  const { stdout } = await execute(tsc, [...options, "user.ts"], { cwd: folder }).catch((failed) => failed);

  expect(entries).toContain(".");
  expect(stdout).toBe("");
});
