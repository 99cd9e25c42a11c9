import { readFileSync } from "node:fs";

/** A `turn-limit.json` as it was when it was read. A file that is not there is an empty one. */
export interface SettingsFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** What is wrong with the file as a whole, in a sentence for the person. */
  readonly problems: readonly string[];
}

/** Reads the file; must not throw. */
export function readSettingsFile(path: string, knownKeys: readonly string[]): SettingsFile {
  const nothing = (...problems: string[]) => ({ path, values: {}, problems });
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const missing = ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
    return missing ? nothing() : nothing(`Cannot read ${path}: ${(error as Error).message}. It is ignored.`);
  }
  try {
    const values: unknown = JSON.parse(text);
    if (typeof values !== "object" || values === null || Array.isArray(values)) {
      return nothing(`${path} must hold a JSON object, such as { "turns": 25 }. It is ignored.`);
    }
    const unknown = Object.keys(values).filter((key) => key !== "$schema" && !knownKeys.includes(key));
    const problems = unknown.map((key) => unknownSetting(key, path, knownKeys));
    return { path, values: values as Record<string, unknown>, problems };
  } catch (error) {
    return nothing(`${path} is not valid JSON: ${(error as Error).message}. It is ignored.`);
  }
}

/** A sentence about a setting that does not exist, with those that do. */
export function unknownSetting(key: string, path: string, known: readonly string[]): string {
  return `Unknown setting "${key}" in ${path}. Known settings: ${known.join(", ")}.`;
}
