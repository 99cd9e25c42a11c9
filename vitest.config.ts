import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "rig/src/**/*.test.ts",
      "scripts/**/*.test.ts",
      "examples/*.test.ts",
    ],
  },
});
