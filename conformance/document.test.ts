import { expect, test } from "vitest";
import { documentOf, withPart, writeDocument } from "./document.ts";

const frameworks = { text: "What frameworks do.", notPlayed: [] };
const agents = { text: "What agents do.\n\n### Agents: limit 5", notPlayed: [] };
const FROM =
  "Made on \\d{4}-\\d\\d-\\d\\d, with the packages as of (commit [0-9a-f]{10}( and .*)?|files that are in no commit)\\.";

test("the document has both parts, and each names its day and the commit that last changed the packages", () => {
  const document = documentOf({ frameworks, agents });
  expect(document).toMatch(new RegExp(`\n\n## Frameworks\n\n${FROM}\n\nWhat frameworks do\\.\n\n`));
  expect(document).toMatch(
    new RegExp(`\n\n## Coding agents\n\n${FROM}\n\nWhat agents do\\.\n\n### Agents: limit 5\n$`),
  );
});

test("one part is made anew, and the rest stays as it was", () => {
  const document = documentOf({ frameworks, agents });
  const anew = withPart(document, "agents", { text: "What they do now.", notPlayed: [] });
  expect(anew).toBe(document.replace(agents.text, "What they do now."));
});

test("a document with a trial that was not played is not written", async () => {
  const hung = { ...agents, notPlayed: ["Codex | limit 5 | not played: it hung"] };
  await expect(writeDocument({ frameworks, agents: hung })).rejects.toThrow(
    "Codex | limit 5 | not played: it hung",
  );
});
