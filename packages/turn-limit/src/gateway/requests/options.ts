import { UnsupportedOption } from "../../core/errors/unsupported-option.ts";
import type { Ask } from "../../core/governor/decision.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import type { RunOptions } from "../../run/options.ts";
import type { BudgetSource } from "../../run/shared-budgets.ts";
import type { Profile } from "../agents/profile.ts";
import type { AgentDialog } from "./agent-dialog.ts";
import type { HowToGoOn } from "./ending.ts";
import type { Park } from "./parking.ts";

/** What a run behind the gateway is given: the limits, and what is known of the agent. */
export interface GatewayRunOptions extends RunOptions, HowToGoOn {
  /** What is known of the agent. Without it, requests are counted and not turns, and nobody is asked. */
  profile?: Profile | undefined;
  /** Asks in the agent's own dialog, by its `ask`, which has to be the `ask` of the run or a part of it. */
  dialog?: AgentDialog | undefined;
  /** How many milliseconds a request is held while a person is asked. Default: as long as the agent waits. */
  hold?: number | undefined;
  /** Keeps the run when nobody answers a question, instead of ending it for good. */
  park?: Park | undefined;
  /** The agent's own session, where its requests do not name it: what is parked goes on in it. */
  session?: string | undefined;
  /** What an earlier run knew when it was parked: this one goes on from it. */
  from?: GovernorState | undefined;
  /** Is there a reply to this question already, so that `ask` returns it at once? Default: no. */
  isReplied?: ((question: Ask) => boolean) | undefined;
  /**
   * Is told what the run knows before each request that counts, which waits for it. Resolves with why it must not be sent, if it
   * must not.
   */
  beforeSending?: ((state: GovernorState) => Promise<string | undefined>) | undefined;
  /** Tells a person what was done to the run from elsewhere. Default: as `onWarning`. */
  onNotice?: ((message: string) => void) | undefined;
  /**
   * Another gateway, by its address without a path, that counts what is sent to it in these pools. They are drawn from
   * as soon as a request goes elsewhere. If a limit of it ends this run, the summary says so.
   */
  outside?: { readonly origin: string; readonly pools: readonly BudgetSource[] } | undefined;
}

/** Whether an agent behind the gateway finished shows only where it was started. */
export function requireNoHistory(options: object): void {
  if (!("history" in options) || options.history === undefined) return;
  const why = "it does not see whether an agent finished. Use turn-limit run --max-turns p90";
  throw new UnsupportedOption("turn-limit/gateway", "history", why);
}
