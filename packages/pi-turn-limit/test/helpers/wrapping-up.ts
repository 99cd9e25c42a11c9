import { type ModelRequest, type PiEvent, type Script, says, textOf } from "@turn-limit/rig";
import { DEFAULT_WRAP_UP_MESSAGE } from "turn-limit";
import { leavesWithoutEnd } from "./executed.ts";
import type { Stage } from "./stage.ts";

/** How often the model has been told to wrap up, as of this request. */
export function tellings({ messages }: ModelRequest, text = DEFAULT_WRAP_UP_MESSAGE): number {
  return messages.filter((message) => textOf(message).includes(text)).length;
}

/** How often the model has been told, as of each request so far. */
export function tellingsOf(stage: Stage, text?: string): number[] {
  return stage.model.requests.map((request) => tellings(request, text));
}

/** Works without end until it is told to wrap up, and then does. */
export function obeys(text?: string): Script {
  const works = leavesWithoutEnd();
  return (request) => (tellings(request, text) > 0 ? says("Partial answer.") : works(request));
}

/** The wrap-ups that a person or a client has been shown. */
export function shownWrapUps(events: readonly PiEvent[]): unknown[] {
  return events
    .filter(({ type }) => type === "message_end")
    .map(({ message }) => message as { customType?: string })
    .filter(({ customType }) => customType === "turn-limit:wrap-up");
}
