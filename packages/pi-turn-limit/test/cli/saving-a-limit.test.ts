import { chmod, lstat, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { endsAfter, type TuiPi } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onNewestTerminal } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";

const fileOf = ({ sandbox }: Stage) => join(sandbox.agentDir, "turn-limit.json");

/** Opens the panel, sets the turn limit there, and saves it. */
async function setAndSave(pi: TuiPi, text: string): Promise<void> {
  await pi.submit("/limits");
  await pi.waitFor(/^→ Turns /m);
  await pi.press("Enter");
  await pi.type(text);
  await pi.press("Enter");
  await pi.waitFor(/^→ Turns .*\/turn-limit in this session$/m);
  await pi.press("s");
  await pi.waitFor(`Save ${text} for all sessions?`);
  await pi.press("s");
}

await onNewestTerminal((host) => {
  test("s saves the limit to the person's settings, and everything else in them stays", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const settings = {
      $schema: "./schema.json",
      turns: { max: 10, message: "Stop now.", headless: "raise" },
      tools: { bash: 5 },
      unknown: [1, { a: null }],
    };
    await writeFile(fileOf(stage), JSON.stringify(settings, null, "\t"));
    const pi = await stage.tui();
    await setAndSave(pi, "50 stop grace 3");
    await pi.waitFor("Saved to your settings");
    const text = await readFile(fileOf(stage), "utf8");
    expect(JSON.parse(text)).toEqual({
      ...settings,
      turns: { max: 50, message: "Stop now.", headless: "raise", onExhausted: "stop", grace: 3 },
    });
    expect(text).toContain('\n\t"turns": {\n\t\t"max": 50,');
    expect(await readdir(stage.sandbox.agentDir)).not.toContainEqual(expect.stringContaining(".tmp"));
    const next = await stage.print("/turn-limit");
    expect(next.stderr).toContain(`Turn limit: 50 stop grace 3 (your settings, ${fileOf(stage)})`);
  });

  test("a file is made where there is none", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.tui();
    await setAndSave(pi, "50");
    await pi.waitFor("Saved to your settings");
    expect(await readFile(fileOf(stage), "utf8")).toBe('{\n  "turns": 50\n}\n');
  });

  test("what was saved is what default goes back to, also in this session", async () => {
    await using stage = await setStage(host, endsAfter(1));
    await writeFile(fileOf(stage), '{ "turns": { "max": 10, "onExhausted": "stop" } }');
    const pi = await stage.tui();
    await setAndSave(pi, "50 grace 3");
    await pi.waitFor("Saved to your settings");
    await pi.press("Escape");
    await pi.waitUntilGone("Escape closes");
    await pi.submit("/turn-limit 7");
    await pi.waitFor("Turn limit set to 7");
    await pi.submit("/turn-limit default");
    await pi.waitFor(/Turn limit back to 50 grace 3 \(your settings, /);
  });

  test("a damaged file is left as it is, and the panel says so", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.tui();
    const damaged = '{ "turns": 10, // mine\n';
    await writeFile(fileOf(stage), damaged);
    await setAndSave(pi, "50");
    await pi.waitFor(/is not valid JSON/);
    await pi.waitFor(/Nothing was\s+saved/);
    expect(await readFile(fileOf(stage), "utf8")).toBe(damaged);
  });

  test("a file that is a link stays one", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const dotfiles = join(stage.sandbox.root, "dotfiles.json");
    await writeFile(dotfiles, "{}");
    await chmod(dotfiles, 0o600);
    await symlink(dotfiles, fileOf(stage));
    const pi = await stage.tui();
    await setAndSave(pi, "50");
    await pi.waitFor("Saved to your settings");
    expect((await lstat(fileOf(stage))).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(dotfiles, "utf8"))).toEqual({ turns: 50 });
    expect((await lstat(dotfiles)).mode & 0o777).toBe(0o600);
  });
});
