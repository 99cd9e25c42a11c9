import { lstatSync, readFileSync, statSync } from "node:fs";
import { isObject } from "./settings.ts";

/** An object that a file holds, with the text it was read from. */
export interface JsonObject {
  readonly values: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/**
 * Reads a file; where there is nothing, not even a link, it is an empty object. What is wrong with it is a sentence; must
 * not throw.
 */
export function readJsonObject(path: string): JsonObject | { readonly problem: string } {
  let text: string;
  try {
    // A project's file may be a link to anything: to open a pipe or a terminal could wait for ever.
    if (!statSync(path).isFile()) return { problem: "This cannot be read: it is not a regular file." };
    text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const isMissing = ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
    if (!isMissing) return { problem: `This cannot be read: ${(error as Error).message}.` };
    return isLink(path)
      ? { problem: "This cannot be read: it is a link to a file that is not there." }
      : { values: {}, text: "" };
  }
  try {
    const values: unknown = JSON.parse(text);
    return isObject(values)
      ? { values, text }
      : { problem: `This is not a JSON object. Use one, such as { "turns": 25 }.` };
  } catch (error) {
    return { problem: `This is not valid JSON: ${(error as Error).message}.` };
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
