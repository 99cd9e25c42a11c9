import { configDefaults, defineConfig } from "vitest/config";
import { offline } from "./scripts/offline.mjs";

const cli = [
  "packages/*/test/{cli,in-process}/**/*.test.ts",
  "packages/*/test/packed.test.ts",
  "rig/src/**/*.test.ts",
  "examples/pi-*.test.ts",
];
const adapters = ["packages/*/test/{adapters,contract}/**/*.test.ts", "examples/examples.test.ts"];
// Written for another test runner, which a test of ours starts.
const others = ["examples/*/**"];

// A test that belongs to no other group is a unit test, so that every test is in exactly one.
const unit = {
  include: ["**/*.test.ts"],
  exclude: [...configDefaults.exclude, ...cli, ...adapters, ...others],
  // A fresh process for each file would take longer than the tests. What a test mocks ends with it.
  isolate: false,
  restoreMocks: true,
  unstubEnvs: true,
  unstubGlobals: true,
};

export default defineConfig({
  test: {
    env: offline(import.meta.dirname),
    // Only for what hangs: how busy the machine is must not decide a test.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    projects: [
      { extends: true, test: { name: "unit", ...unit } },
      { extends: true, test: { name: "cli", include: cli } },
      { extends: true, test: { name: "adapters", include: adapters } },
    ],
  },
});
