/** The oldest version of each framework that keeps the contract, as `peerDependencies` has them. */
export const OLDEST = {
  "@anthropic-ai/claude-agent-sdk": "0.3.325",
  "@earendil-works/pi-agent-core": "0.87.0",
  "@mastra/core": "1.71.0",
  "@openai/agents": "0.20.0",
  ai: "7.0.112",
  langchain: "1.5.7",
} as const;

type Framework = keyof typeof OLDEST;

const found = new Map<Framework, string | undefined>();

/**
 * Refuses a version of a framework that is older than what was tried: limits might not hold there, and nobody would be told.
 * Where the version cannot be read, as in a bundle, nothing is refused.
 */
export function requireVersion(adapter: string, framework: Framework): void {
  if (!found.has(framework)) found.set(framework, installedVersion(framework));
  requireNewEnough(adapter, framework, found.get(framework));
}

/** Throws if the version is known, and older than the oldest that was tried. */
export function requireNewEnough(adapter: string, framework: Framework, version: string | undefined): void {
  const oldest = OLDEST[framework];
  if (version === undefined || !isOlder(version, oldest)) return;
  throw new Error(
    `${adapter} needs ${framework} ${oldest} or later, and ${version} is installed. Update it: npm install ${framework}@latest`,
  );
}

/** The version of a package that an import from this file, or from the one at this address, finds. */
export function installedVersion(name: string, from: string = import.meta.url): string | undefined {
  try {
    const { createRequire } = process.getBuiltinModule("node:module");
    const { existsSync, readFileSync } = process.getBuiltinModule("node:fs");
    const { join } = process.getBuiltinModule("node:path");
    const folders = createRequire(from).resolve.paths(name) ?? [];
    const file = folders.map((folder) => join(folder, name, "package.json")).find((path) => existsSync(path));
    const version: unknown = file && JSON.parse(readFileSync(file, "utf8")).version;
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}

/** Compares the numbers. What is tried before a release is older than the release. */
function isOlder(version: string, than: string): boolean {
  const [numbers = "", preview] = version.split("-", 2);
  const parts = numbers.split(".").map(Number);
  const wanted = than.split(".").map(Number);
  for (const [n, least] of wanted.entries()) {
    const part = parts[n] ?? 0;
    if (part !== least) return part < least;
  }
  return preview !== undefined;
}
