import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownEntry } from "../run-example.ts";
import type { Surroundings } from "./script.ts";

const repository = join(import.meta.dirname, "..", "..", "..", "..", "..");

/** For examples that need no framework: an agent with a model and a tool, people, and a place for files. */
export async function surroundings(): Promise<Surroundings> {
  const folder = await mkdtemp(join(tmpdir(), "docs-"));
  const { memoryStore } = await ownEntry("turn-limit");
  const { sqliteStore } = await ownEntry("turn-limit/stores/sqlite");
  const registered: (() => unknown)[] = [];
  const answers = [{ calls: [{ id: "1", tool: "search" }] }, { calls: [] }];
  return {
    variables: {
      agent: { wantsToGoOn: () => true, takeTurn: async () => {} },
      askThePerson: async () => true,
      client: { sendCommand: async () => {} },
      callTheModel: async () => [{ tool: "search" }],
      execute: async () => {},
      extension: join(repository, "packages", "pi-turn-limit"),
      messages: [],
      model: async () => ({ ...answers.shift(), usage: { input: 100, output: 20 } }),
      result: (call: unknown, text: string) => ({ call, text }),
      run: async () => "found",
      tools: [],
      turnLimit: join(repository, "packages", "turn-limit", "dist", "command", "turn-limit.js"),
      user: (text: string) => ({ text }),
    },
    modules: {
      "turn-limit/stores/sqlite": {
        sqliteStore: (file: string, options?: object) => sqliteStore(join(folder, file), options),
      },
      "node:test": {
        describe: (_name: string, body: () => void) => body(),
        test: Object.assign((_name: string, body: () => unknown) => registered.push(body), { skip() {} }),
      },
      "./my-store.js": { myStore: memoryStore },
    },
    registered,
    close: () => rm(folder, { recursive: true }),
  };
}
