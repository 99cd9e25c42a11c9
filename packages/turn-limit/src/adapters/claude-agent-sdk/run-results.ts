import type { SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Failure } from "../../core/governor/run.ts";

/** How a run ended early, if it did: `stopped` by a limit of the SDK's own. */
export type RunEnd = Failure | "stopped" | undefined;

/**
 * The results of one run. The program gives one for each time that its main loop has answered: to the prompt, and again
 * when it was told that a sub-agent in the background is done.
 */
export class RunResults {
  #all: SDKResultMessage[] = [];

  add(result: SDKResultMessage): void {
    this.#all.push(result);
  }

  /** The one result of the run: its last answer, with what all of them took. They are forgotten. */
  take(): SDKResultMessage | undefined {
    const all = this.#all;
    this.#all = [];
    const last = all.at(-1);
    if (all.length < 2 || !last) return last;
    // Where the model was not asked, nothing was answered.
    const answer = all.findLast(({ num_turns }) => num_turns > 0) ?? last;
    return {
      ...answer,
      num_turns: sum(all.map(({ num_turns }) => num_turns)),
      duration_ms: sum(all.map(({ duration_ms }) => duration_ms)),
      duration_api_ms: last.duration_api_ms,
      // These are the program's totals already.
      total_cost_usd: last.total_cost_usd,
      modelUsage: last.modelUsage,
      permission_denials: all.flatMap(({ permission_denials }) => permission_denials),
    };
  }
}

/** How the program says that a run ended. */
export function programEnd({ is_error, subtype, terminal_reason = "completed" }: SDKResultMessage): RunEnd {
  if (terminal_reason.startsWith("aborted")) return "aborted";
  if (!is_error) return undefined;
  // The agent did not finish, nothing failed, and nobody cancelled it: a limit ended it, which is none of ours.
  return subtype === "error_max_turns" || subtype === "error_max_budget_usd" ? "stopped" : "failed";
}

function sum(amounts: number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
