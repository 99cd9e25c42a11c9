import { fileURLToPath } from "node:url";
import {
  type AgentName,
  type AgentProvider,
  type AgentResult,
  type AgentRunOptions,
  kindOf,
  type ProviderScript,
  prepareAgent,
  type RequestKind,
  type RunningAgent,
  type ScriptedProvider,
  startAgent,
  startScriptedProvider,
} from "@turn-limit/rig";

/** The built command. */
export const BIN = fileURLToPath(new URL("../../dist/command/turn-limit.js", import.meta.url));

/** The command that comes before the agent's: `turn-limit run` with these options. */
export function underLimits(options: readonly string[]): string[] {
  return [process.execPath, BIN, "run", ...options, "--"];
}

/** What came of a run. */
export interface Seen extends AgentResult {
  /** How many requests of each kind the provider got. */
  readonly got: Readonly<Partial<Record<RequestKind, number>>>;
  /** The last line on standard error: the summary of `turn-limit run`. */
  readonly summary: string;
  readonly provider: Pick<ScriptedProvider, "requests" | "others">;
  /** Were the person's files the same afterwards? */
  readonly isConfigUnchanged: boolean;
}

/** What a run is given besides limits and a script. */
export interface MoreOfRun extends Partial<AgentRunOptions>, Omit<AgentProvider, "providerAddress"> {
  /** What happens while the agent works. */
  meanwhile?(running: RunningAgent, provider: ScriptedProvider): Promise<void>;
}

/** Runs a real agent under `turn-limit run`, against a provider that follows the script. */
export async function underRun(
  name: AgentName,
  options: readonly string[],
  script: ProviderScript,
  more: MoreOfRun = {},
): Promise<Seen> {
  await using provider = await startScriptedProvider(script);
  await using agent = await prepareAgent(name, { ...more, providerAddress: provider.address });
  const before = await agent.configSnapshot();
  const wrapWith = underLimits(options);
  await using running = startAgent(agent, { prompt: "Go.", ...more, wrapWith });
  await more.meanwhile?.(running, provider);
  const result = await running.ended(more.timeoutMs);
  return {
    ...result,
    got: countsOf(provider),
    summary: result.stderr.trimEnd().split("\n").at(-1) ?? "",
    provider,
    isConfigUnchanged: JSON.stringify(await agent.configSnapshot()) === JSON.stringify(before),
  };
}

/** How many requests of each kind the provider got. */
export function countsOf({
  requests,
}: Pick<ScriptedProvider, "requests">): Partial<Record<RequestKind, number>> {
  const counts: Partial<Record<RequestKind, number>> = {};
  for (const request of requests) {
    const kind = kindOf(request);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
