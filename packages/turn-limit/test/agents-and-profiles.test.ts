import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as gateway from "../src/gateway/index.ts";
import { LAUNCHERS, PROFILES } from "../src/launch/launch.ts";

const root = new URL("../../../", import.meta.url);

const launchers = LAUNCHERS.filter(({ profile }) => profile !== undefined);

test.each(launchers)("the profile of $name names the version that the tests run", ({ packages, profile }) => {
  const { dependencies } = JSON.parse(readFileSync(new URL("agents/package.json", root), "utf8"));
  expect(profile?.tested).toContain(dependencies[packages[0] as string]);
});

test("each profile can be imported", () => {
  const { claudeCode, codex, opencode } = gateway;
  expect([claudeCode, codex, opencode]).toEqual(PROFILES);
});

test.each(PROFILES)("the documentation names that version of $name", ({ name, tested }) => {
  expect(readFileSync(new URL("packages/turn-limit/docs/run.md", root), "utf8")).toContain(
    `${name} ${tested.at(-1)}`,
  );
});
