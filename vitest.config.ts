import { configDefaults, defineConfig } from "vitest/config";
import { farFromMidnight } from "./scripts/far-from-midnight.mjs";
import { offline } from "./scripts/offline.mjs";

const cli = [
  "packages/*/test/{cli,in-process}/**/*.test.ts",
  "packages/*/test/packed.test.ts",
  "rig/src/**/*.test.ts",
  "examples/pi-*.test.ts",
];
const adapters = ["packages/*/test/{adapters,contract}/**/*.test.ts", "examples/examples.test.ts"];
// These need the coding agents, which are an install of their own.
const agents = ["rig/src/agents/**/*.test.ts", "packages/*/test/agents/**/*.test.ts"];
// Written for another test runner, which a test of ours starts.
const others = ["examples/*/**"];

// A test that belongs to no other group is a unit test, so that every test is in exactly one.
const unit = {
  include: ["**/*.test.ts"],
  exclude: [...configDefaults.exclude, ...cli, ...adapters, ...agents, ...others],
  // A fresh process for each file would take longer than the tests. What a test mocks ends with it.
  isolate: false,
  restoreMocks: true,
  unstubEnvs: true,
  unstubGlobals: true,
};

export default defineConfig({
  test: {
    env: { ...offline(import.meta.dirname), ...farFromMidnight() },
    // Only for what hangs: how slow or busy the machine is must not decide a test. So no test has a limit of its own.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 600_000 } },
    projects: [
      { extends: true, test: { name: "unit", ...unit } },
      {
        extends: true,
        // What these tests run has processes of its own.
        test: { name: "cli", include: cli, exclude: [...configDefaults.exclude, ...agents], isolate: false },
      },
      { extends: true, test: { name: "adapters", include: adapters } },
      { extends: true, test: { name: "agents", include: agents } },
    ],
  },
});
