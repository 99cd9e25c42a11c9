/**
 * For people who adapt another host or write a store: the contracts that our own keep, as tests for any test runner.
 *
 * @module
 */
export { ManualClock } from "./manual-clock.ts";
export {
  type Capabilities,
  callId,
  everything,
  type ModelReply,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
  type ScriptedTool,
  type SeenRequest,
} from "./scripted-host.ts";
export { testAdapter } from "./test-adapter.ts";
export type { TestFunction, TestRunner } from "./test-runner.ts";
export { type StoreUnderTest, testStore } from "./test-store.ts";
