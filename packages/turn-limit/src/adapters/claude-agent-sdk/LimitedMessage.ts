import type { SDKMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Outcome } from "../../governor/Outcome.ts";

/** The SDK's result message, with how the run of its prompt ended. */
export type LimitedResult = SDKResultMessage & { outcome?: Outcome };

/** A message of a query with limits. */
export type LimitedMessage = Exclude<SDKMessage, SDKResultMessage> | LimitedResult;
