import type { ProtocolName } from "../provider/provider-request.ts";

/** The coding agents that tests can start. */
export type AgentName = "claude-code" | "codex" | "opencode" | "gemini-cli" | "qwen-code" | "pi";

/** Where one agent lives. Nothing of the person's own is in it. */
export interface AgentFolders {
  home: string;
  /** The folder in which the agent is started. */
  project: string;
}

/** How an agent reaches the provider. */
export interface AgentProvider {
  /** Where the provider listens, without `/v1`. */
  providerAddress: string;
  /** What the agent speaks with it, for an agent that has the choice. */
  protocol?: ProtocolName;
  /** How many tokens the agent thinks the model can read, for an agent that can be told. */
  contextWindow?: number;
  /** Is it the other version that tests run? */
  otherVersion?: boolean;
}

/** A file that a person would have written: its path inside the home, and its text. */
export type ConfigFile = readonly [path: string, text: string];

/** All that differs from one agent to the next. */
export interface AgentKind {
  name: AgentName;
  /** The command that a person types, and the arguments that come before all others. */
  command: readonly [file: string, ...args: string[]];
  /** The program that the command stands for, if the install of the agents does not have it. */
  program?: string;
  /** The same of the other version that tests run. */
  otherProgram?: string;
  /** The settings of a person who uses the provider with this agent. */
  config(folders: AgentFolders, provider: AgentProvider): ConfigFile[];
  environment(folders: AgentFolders, provider: AgentProvider): Record<string, string>;
  /** The arguments for a prompt without a terminal. */
  headless(prompt: string, args: readonly string[]): string[];
  /** How to start it on a terminal, and what its screen shows once it takes a prompt. */
  interactive?: { args: readonly string[]; ready: RegExp };
  /** The paths inside the home that the agent writes by itself whenever it runs. */
  writes: RegExp;
}

/** A key that no provider would take. */
export const fakeKey = "sk-scripted-0123456789-0123456789";

/** The text of a settings file. */
export function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
