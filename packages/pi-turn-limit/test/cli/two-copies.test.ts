import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { limitInForce, no, questions, work } from "../helpers/talk.ts";

const extension = fileURLToPath(new URL("../..", import.meta.url));

/** Puts a copy of the package into this folder. */
async function copyTo(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const part of ["dist", "package.json"])
    await cp(join(extension, part), join(folder, part), { recursive: true });
  return folder;
}

async function addSettings(file: string, settings: Record<string, unknown>): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(settings));
}

/** Where Pi keeps the package of this name, of the person or of the project. */
const packageIn = (folder: string) => join(folder, "npm", "node_modules", "pi-turn-limit");

/** The line that a person reads about it. */
const told = (text: string) =>
  text.split("\n").filter((line) => line.includes("pi-turn-limit is there twice"));

onEachHost((host) => {
  test("of two copies one holds the session, and the other one says that it steps back", async () => {
    await using stage = await setStage(host, endless());
    const copy = await copyTo(join(stage.sandbox.root, "copy"));
    const { code, stderr } = await stage.print("Go.", { maxTurns: "2 stop", beside: [copy] });
    expect(stderr).toContain("Turn limit reached (2/2)");
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 2 });
    expect(told(stderr)).toEqual([
      expect.stringMatching(
        /twice\. .*packages\/pi-turn-limit is used, .*\/copy is not: remove one of them\.$/,
      ),
    ]);
  });

  test("a copy that is installed steps back beside one that is given with -e", async () => {
    await using stage = await setStage(host, endless());
    const copy = await copyTo(join(stage.sandbox.agentDir, "extensions", "pi-turn-limit"));
    const pi = await stage.rpc({ maxTurns: 2 });
    pi.onDialog(() => no);
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(2);
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 2 turns. Continue?"]);
    expect(pi.notifications.flatMap(({ message }) => told(message))).toEqual([expect.stringContaining(copy)]);
    expect(await limitInForce(pi)).toContain("Turn limit: 2");
    const { data } = await pi.send({ type: "get_commands" });
    const { commands } = data as { commands: { name: string }[] };
    expect(commands.filter(({ name }) => name.startsWith("turn-limit"))).toHaveLength(1);
  });
});

/** The same package, installed by the person and in the project. */
async function installedTwice(stage: Stage): Promise<void> {
  const { agentDir, projectDir } = stage.sandbox;
  await copyTo(packageIn(agentDir));
  await copyTo(packageIn(join(projectDir, ".pi")));
  const packages = ["npm:pi-turn-limit"];
  // Pi loads what is the person's, decides whether it trusts the project, and then loads what is the project's.
  await addSettings(join(agentDir, "settings.json"), { packages, defaultProjectTrust: "always" });
  await addSettings(join(projectDir, ".pi", "settings.json"), { packages });
}

onNewestHost((host) => {
  test("the project's copy of a package takes the place of the person's, with its flags, and nothing is said", async () => {
    await using stage = await setStage(host, endless(), { installed: [] });
    await installedTwice(stage);
    const { code, stderr } = await stage.print("Go.", { maxTurns: "2 stop" });
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 2 });
    expect(told(stderr)).toEqual([]);
  });

  test("after a reload one of the copies holds the session as before", async () => {
    await using stage = await setStage(host, endless());
    const copy = await copyTo(join(stage.sandbox.root, "copy"));
    const pi = await stage.rpc({ maxTurns: 2, beside: [copy, "travels"] });
    pi.onDialog(() => no);
    await pi.prompt("/load-again");
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(2);
    expect(questions(pi)).toHaveLength(1);
  });
});
