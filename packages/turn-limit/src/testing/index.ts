/**
 * For people who adapt another host or write a store: the contracts that our own keep, as tests for any test runner.
 *
 * @module
 */
export { ManualClock } from "./manual-clock.ts";
export {
  type Capabilities,
  callId,
  callsOf,
  everything,
  type ModelReply,
  type MoreArguments,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedCall,
  type ScriptedHost,
  type ScriptedTool,
  type SeenRequest,
} from "./scripted-host.ts";
export { testAdapter } from "./test-adapter.ts";
export type { TestFunction, TestRunner } from "./test-runner.ts";
export { type StoreUnderTest, testStore } from "./test-store.ts";
