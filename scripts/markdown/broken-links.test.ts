import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { brokenLinks } from "./broken-links.mjs";
import { markdownFiles } from "./markdown-files.mjs";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "links-"));
});
afterEach(() => rm(root, { recursive: true }));

async function write(path: string, text = ""): Promise<string> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

async function problems(text: string): Promise<string[]> {
  const file = await write("README.md", text);
  return brokenLinks(file, root).map(({ line, target, why }) => `${line}: ${target} ${why}`);
}

test.each([
  "[gone](docs/gone.md)",
  "![gone](docs/gone.md)",
  '[gone](docs/gone.md "a title")',
  "[![gone](docs/gone.md)](https://example.com)",
  "[gone]: docs/gone.md",
  '<img width="9" src="docs/gone.md">',
])("a link to a file that does not exist is broken: %s", async (link) => {
  expect(await problems(`# Title\n\nSee ${link.startsWith("[gone]:") ? `\n${link}` : link}`)).toEqual([
    expect.stringMatching(/^[34]: docs\/gone\.md does not exist$/),
  ]);
});

test.each([
  "[here](docs/guide.md)",
  "[folder](docs)",
  "[from the top](/docs/guide.md)",
  "[spaces](docs/a%20b.md)",
  "[elsewhere](https://example.com/gone) and <https://example.com>, [mail](mailto:a@example.com)",
  "`[code](docs/gone.md)`",
  "```md\n[code](docs/gone.md)\n```",
  "~~~~md\n```\n[code](docs/gone.md)\n~~~~",
  "<!-- [comment](docs/gone.md)\n[comment](docs/gone.md) -->",
  "an array[0](in prose)",
])("a link that leads somewhere, or is none, is fine: %s", async (text) => {
  await write("docs/guide.md");
  await write("docs/a b.md");
  await write("in");
  expect(await problems(text)).toEqual([]);
});

test("an anchor must be a heading of the linked file, under the name GitHub gives it", async () => {
  const headings = [
    "# What it's for",
    "## `/limits stats`, or [more](x.md)",
    "## Again",
    "## Again",
    "## A & B",
  ];
  await write(
    "docs/guide.md",
    `${headings.join("\n\n")}\n\n\`\`\`sh\n# no heading\n\`\`\`\n<a id="by-hand"></a>`,
  );
  const good = ["what-its-for", "limits-stats-or-more", "again", "again-1", "a--b", "by-hand"];
  const bad = ["again-2", "no-heading", "Again"];

  const text = [...good, ...bad].map((anchor) => `[x](docs/guide.md#${anchor})`).join(" ");

  expect(await problems(text)).toEqual(
    bad.map((anchor) => `1: docs/guide.md#${anchor} has no heading #${anchor}`),
  );
});

test("an anchor alone means the file itself", async () => {
  expect(await problems("# Title\n[up](#title) [nowhere](#nowhere)")).toEqual([
    "2: #nowhere has no heading #nowhere",
  ]);
});

test("a link out of the repository is broken", async () => {
  expect(await problems("[out](../../etc/hosts)")).toEqual([
    "1: ../../etc/hosts is outside of the repository",
  ]);
});

test("every Markdown file is checked, apart from what is installed or built", async () => {
  const ours = ["README.md", "SECURITY.md", "docs/guide.md", "packages/a/CHANGELOG.md"];
  const others = ["node_modules/x/README.md", "packages/a/node_modules/x/README.md", "packages/a/dist/x.md"];
  for (const path of [...ours, ...others, "docs/api/media/README.md"]) await write(path);

  expect(markdownFiles(root).sort()).toEqual(ours.map((path) => join(root, path)));
});
