import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSandbox, endless, type PiHost, runPrint, startScriptedModel } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { extension } from "../../../../scripts/installed-pi.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";

/** Pi, with a folder of its own in which Node and the extension keep compiled code. */
async function openPi(host: PiHost) {
  const model = await startScriptedModel(endless());
  const sandbox = await createSandbox(model);
  const folder = join(sandbox.root, "compiled");
  await mkdir(folder);
  return {
    /** Runs an agent that never ends into its limit. */
    async expectLimit() {
      const sent = model.requests.length;
      const { code, stderr } = await runPrint({
        host,
        sandbox,
        prompt: "go",
        args: ["-e", extension, "--max-turns", "2"],
        env: { NODE_COMPILE_CACHE: folder },
      });
      expect(model.requests).toHaveLength(sent + 2);
      expect(stderr).toContain("Turn limit reached (2/2)");
      expect(code).toBe(1);
    },
    /** The file in which the extension keeps it. */
    async keptFile(): Promise<string> {
      const kept = (await readdir(folder, { recursive: true })).filter((file) =>
        file.includes("turn-limit-"),
      );
      expect(kept).toHaveLength(1);
      return join(folder, kept[0] ?? "");
    },
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

onEachHost((host) => {
  test("the limit holds with the compiled code that the first run has left, which later ones leave as it is", async () => {
    await using pi = await openPi(host);
    await pi.expectLimit();
    const kept = await readFile(await pi.keptFile());

    await pi.expectLimit();
    expect((await readFile(await pi.keptFile())).equals(kept)).toBe(true);
  });
});

onNewestHost((host) => {
  test.for<[string, (kept: Buffer) => Buffer]>([
    ["cut short", (kept) => kept.subarray(0, 1_000)],
    ["empty", () => Buffer.alloc(0)],
    ["changed", (kept) => Buffer.from(kept.map((byte, index) => (index === 5_000 ? byte ^ 1 : byte)))],
  ])("compiled code that is %s is made anew, and the limit holds", async ([, damage]) => {
    await using pi = await openPi(host);
    await pi.expectLimit();
    const file = await pi.keptFile();
    const damaged = damage(await readFile(file));
    await writeFile(file, damaged);

    await pi.expectLimit();
    const again = await readFile(await pi.keptFile());
    expect(again.length).toBeGreaterThan(1_000);
    expect(again.equals(damaged)).toBe(false);
  });
});
