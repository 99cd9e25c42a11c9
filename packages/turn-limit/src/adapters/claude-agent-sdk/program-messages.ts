import type { HookInput, Options, SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { wantsState } from "./options.ts";

/** Is the message one that the caller would get without us? Some come only because the loop has to see them. */
export function isWanted(message: SDKMessage, options: Options): boolean {
  const { includePartialMessages = false } = options;
  if (message.type === "stream_event") return includePartialMessages;
  if (message.type !== "system") return true;
  if (message.subtype === "session_state_changed") return wantsState(options);
  const isRequesting = message.subtype === "status" && message.status === "requesting";
  return includePartialMessages || !isRequesting;
}

/** Does the program ask for the object that the model should have given? */
export function asksAgain({ message: { content } }: Extract<SDKMessage, { type: "user" }>): boolean {
  const [first] = Array.isArray(content) ? content : [];
  return first?.type === "text" && first.text.startsWith("[structured-output-enforce]");
}

/** A background task that is done prompts the agent, too. That refreshes nothing. */
export function isFromPerson({
  source,
  prompt,
}: Extract<HookInput, { hook_event_name: "UserPromptSubmit" }>): boolean {
  return source ? source === "user" || source === "sdk" : !prompt.startsWith("<task-notification>");
}
