import { join } from "node:path";
import { expect, test } from "vitest";
import { isFolderOfShims, PrivateFolder, SHIMS } from "./private-folder.ts";

test("a person's own folder is not taken for one of ours by how its name begins", () => {
  const folder = new PrivateFolder();
  expect(isFolderOfShims(join(folder.path, SHIMS))).toBe(true);
  folder.remove();
  expect(isFolderOfShims("/home/ada/turn-limit-agents-of-ada/bin")).toBe(false);
});
