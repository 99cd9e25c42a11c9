import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PROFILES } from "../src/gateway/profiles/all-profiles.ts";

const root = new URL("../../../", import.meta.url);

test.each(PROFILES)("the profile of $name names the version that the tests run", ({ packages, tested }) => {
  const { dependencies } = JSON.parse(readFileSync(new URL("agents/package.json", root), "utf8"));
  expect(tested).toContain(dependencies[packages[0] as string]);
});

test.each(PROFILES)("the README names that version of $name", ({ name, tested }) => {
  expect(readFileSync(new URL("README.md", root), "utf8")).toContain(`${name} ${tested.at(-1)}`);
});
