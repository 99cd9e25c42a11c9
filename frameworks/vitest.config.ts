import { dirname, join } from "node:path";
import { defineConfig } from "vitest/config";
import { farFromMidnight } from "../scripts/far-from-midnight.mjs";
import { offline } from "../scripts/offline.mjs";
import { fromFolder, namedBy } from "./from-folder.mjs";

const root = dirname(import.meta.dirname);

/** The contracts of the adapters whose frameworks a set names. */
const contracts: Record<string, string> = {
  "@anthropic-ai/claude-agent-sdk": "claude-agent-sdk",
  "@earendil-works/pi-agent-core": "pi-agent-core",
  "@mastra/core": "mastra",
  "@openai/agents": "openai-agents",
  ai: "ai-sdk",
  langchain: "langchain",
};

export default defineConfig({
  root,
  test: {
    env: { ...offline(root), ...farFromMidnight() },
    testTimeout: 1_800_000,
    projects: ["oldest", "newest"].map((name) => {
      const folder = join(import.meta.dirname, name);
      const names = namedBy(folder).flatMap((framework) => contracts[framework] ?? []);
      const include = names.map((contract) => `packages/turn-limit/test/contract/${contract}.test.ts`);
      return { extends: true as const, plugins: [fromFolder(folder)], test: { name, include } };
    }),
  },
});
