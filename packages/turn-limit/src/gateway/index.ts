/**
 * A server between agents and the providers of their models, which holds them to limits: for agents in any language.
 *
 * @module
 */

export { claudeCode } from "./agents/claude-code.ts";
export { codex } from "./agents/codex.ts";
export { geminiCli } from "./agents/gemini-cli.ts";
export { opencode } from "./agents/opencode.ts";
export type { Profile, Recognised, SeenRequest } from "./agents/profile.ts";
export type { DialogQuestion, QuestionTool } from "./agents/question-tool.ts";
export { qwenCode } from "./agents/qwen-code.ts";
export {
  type Addresses,
  createGateway,
  createSharedGateway,
  type Gateway,
  type GatewayOptions,
  type RunGateway,
  type SharedGatewayOptions,
} from "./gateway.ts";
export type { AgentDialog, DialogWords } from "./requests/agent-dialog.ts";
export type { GatewayRunOptions } from "./requests/options.ts";
export type { GatewaySummary } from "./requests/summary.ts";
