import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as gateway from "../src/gateway/index.ts";
import { LAUNCHERS, PROFILES } from "../src/launch/launch.ts";
import { launchPi } from "../src/launch/pi.ts";

const root = new URL("../../../", import.meta.url);

const launchers = LAUNCHERS.filter(({ profile }) => profile !== undefined);

function versionsIn(folder: string): Record<string, string> {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(new URL(`${folder}package.json`, root), "utf8"),
  );
  return { ...dependencies, ...devDependencies };
}

/** Both versions of an agent that the tests run. Two of Pi come with the development tools. */
function versionsOf(name: string, packages: readonly string[]): (string | undefined)[] {
  const [known = ""] = packages;
  if (name !== launchPi.name)
    return ["agents/other-versions/", "agents/"].map((folder) => versionsIn(folder)[known]);
  const { [known]: one, "pi-1.5": other } = versionsIn("");
  return [one, other?.split("@").at(-1)];
}

test.each(launchers)(
  "the profile of $name names the versions that the tests run",
  ({ name, packages, profile }) => {
    expect(profile?.tested).toEqual(versionsOf(name, packages));
  },
);

test("each profile can be imported, but for that of Pi, whose requests say what they are only where run starts it", () => {
  const { claudeCode, codex, opencode, geminiCli, qwenCode } = gateway;
  const all = [claudeCode, codex, opencode, geminiCli, qwenCode, launchPi.profile];
  expect(all).toEqual(PROFILES);
});

test.each(PROFILES)("the documentation names that version of $name", ({ name, tested }) => {
  expect(readFileSync(new URL("packages/turn-limit/docs/run.md", root), "utf8")).toContain(
    `${name} ${tested.at(-1)}`,
  );
});
