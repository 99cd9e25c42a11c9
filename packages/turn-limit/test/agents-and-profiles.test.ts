import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as gateway from "../src/gateway/index.ts";
import { LAUNCHERS, PROFILES } from "../src/launch/launch.ts";

const root = new URL("../../../", import.meta.url);

const launchers = LAUNCHERS.filter(({ profile }) => profile !== undefined);

function versionIn(folder: string, packages: readonly string[]): string {
  const { dependencies } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), "utf8"));
  return dependencies[packages[0] as string];
}

test.each(launchers)(
  "the profile of $name names the versions that the tests run",
  ({ packages, profile }) => {
    expect(profile?.tested).toEqual([
      versionIn("agents/other-versions", packages),
      versionIn("agents", packages),
    ]);
  },
);

test("each profile can be imported", () => {
  const { claudeCode, codex, opencode } = gateway;
  expect([claudeCode, codex, opencode]).toEqual(PROFILES);
});

test.each(PROFILES)("the documentation names that version of $name", ({ name, tested }) => {
  expect(readFileSync(new URL("packages/turn-limit/docs/run.md", root), "utf8")).toContain(
    `${name} ${tested.at(-1)}`,
  );
});
