import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { format } from "node:util";
import { publicEntries } from "../../../../scripts/api-reference/public-entries.mjs";
import type { Example } from "./pages.ts";

const IMPORT = /^import (type )?(\{[^}]*\}) from "([^"]+)";$/gm;
const PRINTED = /console\.log\(.*\)[;,] \/\/ (.*)$/gm;
const AsyncFunction = (async () => {}).constructor as FunctionConstructor;

const sources = new Map(
  publicEntries(join(import.meta.dirname, "..", "..")).map(({ name, source }) => [name, source]),
);

/** What an example leaves to its reader: variables, and modules by the names under which it imports them. */
export interface Given {
  variables?: Record<string, unknown>;
  modules?: Record<string, object>;
  /** What the example has registered to be run, such as tests. */
  registered?: (() => unknown)[];
}

/** One of our own entries, for example `turn-limit/loop`, from its source. */
export async function ownEntry(name: string) {
  const source = sources.get(name);
  if (source === undefined) throw new Error(`The package has no entry ${name}`);
  return import(source);
}

/** The modules that an example imports. */
export function importsOf({ code }: Example): string[] {
  return [...code.matchAll(IMPORT)].map(([, , , from = ""]) => from);
}

/** Runs an example, with our own entries from their sources, and returns what it printed. */
export async function runExample(
  { code }: Example,
  { variables, modules, registered = [] }: Given,
): Promise<string[]> {
  const printed: string[] = [];
  const given = {
    ...variables,
    console: { log: (...values: unknown[]) => printed.push(format(...values)) },
    load: async (name: string) => modules?.[name] ?? (sources.has(name) ? ownEntry(name) : import(name)),
  };
  // What begins with `import` becomes a load, so that an example runs without a file of its own.
  const script = stripTypeScriptTypes(code).replace(
    IMPORT,
    (_, _type, names: string, from) => `const ${names.replaceAll(" as ", ": ")} = await load("${from}");`,
  );
  // In a block of its own: an example may declare what others are given.
  await new AsyncFunction(...Object.keys(given), `{\n${script}\n}`)(...Object.values(given));
  for (const run of registered) await run();
  return printed;
}

/** What an example says it prints: the comments behind its calls of `console.log`. */
export function saidToPrint({ code }: Example): string[] {
  return [...code.matchAll(PRINTED)].map(([, said = ""]) => said);
}
