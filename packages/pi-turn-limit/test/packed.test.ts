import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
const files: Record<string, string[]> = {};
let folder: string;
let host: PiHost;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packed-"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "user", private: true }));
  const tarballs = await Promise.all(["turn-limit", "pi-turn-limit"].map(pack));
  const pi = "@earendil-works/pi-coding-agent@0.87.1";
  await execute("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", pi, ...tarballs], {
    cwd: folder,
  });
  host = { name: "Pi installed beside", version: "0.87.1", cli: join(folder, "node_modules/.bin/pi") };
}, 300_000);

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

test("the extension's package holds what Pi loads, its schema and its specification, and nothing else", () => {
  expect(files["pi-turn-limit"]?.toSorted()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist/cli.cjs",
    "dist/show-limits-panel.cjs",
    "dist/show-stats.cjs",
    "dist/turn-limit.cjs",
    "package.json",
    "turn-limit.allium",
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
    expect.arrayContaining(["dist/index.js", "dist/index.d.ts", "README.md", "CHANGELOG.md"]),
  );
  expect(paths.filter((path) => path.includes("test") || /(?<!\.d)\.ts$/.test(path))).toEqual([]);
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
