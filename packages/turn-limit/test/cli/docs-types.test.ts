import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { examplesIn } from "../docs/pages.ts";

const execute = promisify(execFile);
const modules = join(import.meta.dirname, "..", "..", "..", "..", "node_modules");
// Below node_modules, where the packages are found that examples import.
const folder = join(modules, ".cache", "types-of-examples");

/** What examples leave to their readers. */
const given =
  "agent agentWith askThePerson callTheModel client execute extension helper leadModel messages model options prompt result run search tools turnLimit Type user";
/** Their own modules, too. */
const own = ["./my-store.js", "./tiny-agent.ts", "./limit-tiny-agent.ts", "./scripted-host.ts"];

beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  const options = { noEmit: true, types: ["node"], noUnusedLocals: false, noUnusedParameters: false };
  const base = "../../../tsconfig.base.json";
  const tsconfig = { extends: base, compilerOptions: options, include: ["*.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  const names = given.split(" ").map((name) => `declare const ${name}: any;`);
  await writeFile(join(folder, "given.d.ts"), names.join("\n"));
});
afterAll(() => rm(folder, { recursive: true }));

test("the examples of the documentation have no type errors", async () => {
  const examples = examplesIn("ts", "js").filter(
    ({ code }) => !own.some((path) => code.includes(`"${path}"`)),
  );
  for (const { place, code } of examples)
    await writeFile(join(folder, `${place.replaceAll(/\W/g, "-")}.ts`), `${code}\nexport {};\n`);

  const tsc = execute(join(modules, ".bin", "tsc"), ["-p", folder, "--pretty", "false"]);
  const { stdout } = await tsc.catch((failed: { stdout: string }) => failed);

  expect(examples.length).toBeGreaterThan(40);
  expect(stdout).toBe("");
});
