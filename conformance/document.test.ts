import { expect, test } from "vitest";
import { documentOf, writeDocument } from "./document.ts";

const frameworks = { text: "What frameworks do.", notPlayed: [] };
const agents = { text: "What agents do.", notPlayed: [] };

test("the document has both parts, and names the commit that it was made from", () => {
  const document = documentOf(frameworks, agents);
  expect(document).toMatch(/from (commit [0-9a-f]{10}|files that are in no commit)/);
  expect(document).toContain("## Frameworks\n\nWhat frameworks do.");
  expect(document).toContain("## Coding agents\n\nWhat agents do.");
});

test("a document with a trial that was not played is not written", async () => {
  const hung = { ...agents, notPlayed: ["Codex | limit 5 | not played: it hung"] };
  await expect(writeDocument(frameworks, hung)).rejects.toThrow("Codex | limit 5 | not played: it hung");
});
