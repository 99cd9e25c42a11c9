import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changelogSection } from "./changelog-section.mjs";

const changelog = `# Changelog

Format: [Keep a Changelog](https://keepachangelog.com).

## [Unreleased]

## [1.1.0] - 2026-02-01

### Added

- The second thing.

### Fixed

- A bug of 1.0.0.

## [1.0.0] - 2026-01-01

### Added

- The first thing.

[1.1.0]: https://example.com/compare/v1.0.0...v1.1.0
[1.0.0]: https://example.com/releases/v1.0.0
`;

test("a section is what stands between the heading of its version and the next", () => {
  expect(changelogSection(changelog, "1.1.0")).toBe(
    "### Added\n\n- The second thing.\n\n### Fixed\n\n- A bug of 1.0.0.",
  );
});

test("the last section ends before the links", () => {
  expect(changelogSection(changelog, "1.0.0")).toBe("### Added\n\n- The first thing.");
});

test("the headings may be without brackets, and the lines may end as on Windows", () => {
  expect(changelogSection("## 2.0.0\r\n\r\n- New.\r\n\r\n## 1.0.0\r\n", "2.0.0")).toBe("- New.");
});

test.each(["1.1", "0.1.0", "2.0.0"])("version %s, which is not there, is an error", (version) => {
  expect(() => changelogSection(changelog, version)).toThrow(`has no heading "## [${version}]"`);
});

test("a version about which nothing is said is an error", () => {
  expect(() => changelogSection(changelog, "Unreleased")).toThrow('says nothing below "## [Unreleased]"');
});

test.each(["turn-limit", "pi-turn-limit"])("the changelog of %s tells of its present version", (name) => {
  const folder = join(import.meta.dirname, "..", "packages", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect(changelogSection(readFileSync(join(folder, "CHANGELOG.md"), "utf8"), version)).toContain("- ");
});
