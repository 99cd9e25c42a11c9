import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { installedVersion, OLDEST, requireNewEnough } from "./framework-version.ts";

const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));

test("peerDependencies name the oldest versions that were tried", () => {
  const peers = Object.entries(OLDEST).map(([name, version]) => [name, `>=${version}`]);
  expect(manifest.peerDependencies).toMatchObject(Object.fromEntries(peers));
});

test("who does not use a package does not have to install it", () => {
  for (const name of Object.keys(manifest.peerDependencies))
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
});

test.each(["0.86.1", "0.9.9", "0.87.0-beta.1"])("%s is refused with its name, and what to do", (version) => {
  expect(() =>
    requireNewEnough("turn-limit/pi-agent-core", "@earendil-works/pi-agent-core", version),
  ).toThrow(
    `turn-limit/pi-agent-core needs @earendil-works/pi-agent-core 0.87.0 or later, and ${version} is installed. ` +
      "Update it: npm install @earendil-works/pi-agent-core@latest",
  );
});

test.each(["0.87.0", "0.87.1", "1.0.0-beta.1", "1.5.0", undefined])("%s is not", (version) => {
  requireNewEnough("turn-limit/pi-agent-core", "@earendil-works/pi-agent-core", version);
});

test("the version is that of the package that an import finds", () => {
  const root = mkdtempSync(join(tmpdir(), "frameworks-"));
  try {
    const folder = join(root, "node_modules", "ai");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "ai", version: "7.0.0" }));
    const from = pathToFileURL(join(root, "node_modules", "turn-limit", "dist", "index.js")).href;
    expect(installedVersion("ai", from)).toBe("7.0.0");
    expect(installedVersion("there-is-no-such-package", from)).toBeUndefined();
    expect(installedVersion("ai", "https://bundled.example/index.js")).toBeUndefined();
  } finally {
    rmSync(root, { recursive: true });
  }
});
