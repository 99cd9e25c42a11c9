/**
 * For people who adapt another host: the contract that our own adapters keep, as tests for any test runner.
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
