import type { UserMessage } from "@earendil-works/pi-ai";
import type { BeforeAgentStartEvent, InputEvent } from "@earendil-works/pi-coding-agent";

interface Queued {
  text: string;
  byPerson: boolean;
}

/** Tells a person's prompt from everything else that makes an agent work: programs, steering, retries. */
export interface WhoPrompted {
  /** Text came in: from whom, and to be delivered how? */
  onInput(event: InputEvent): void;
  /** Is the run that now starts a person's prompt? */
  isPersonsPrompt(event: BeforeAgentStartEvent): boolean;
  /** Is the user message that was now delivered a follow-up that a person had queued? */
  isPersonsFollowUp(text: string): boolean;
  /** Is a message waiting that makes the agent take another turn, even if it was about to stop? */
  steeringWaits(): boolean;
  /** Nothing is queued any more. */
  forgetQueue(): void;
}

export function createWhoPrompted(): WhoPrompted {
  let idleInputByPerson = false;
  let promptIsNext = false;
  let steering: Queued[] = [];
  let followUps: Queued[] = [];

  return {
    onInput({ text, source, streamingBehavior }) {
      const byPerson = source !== "extension";
      if (streamingBehavior === "steer") steering.push({ text, byPerson });
      else if (streamingBehavior === "followUp") followUps.push({ text, byPerson });
      else idleInputByPerson = byPerson;
    },

    isPersonsPrompt(event) {
      if (startedByCustomMessage(event)) return false;
      promptIsNext = true;
      return idleInputByPerson;
    },

    isPersonsFollowUp(text) {
      if (promptIsNext) {
        promptIsNext = false;
        return false;
      }
      if (take(steering, text)) return false;
      const exact = take(followUps, text);
      if (exact) return exact.byPerson;
      // Templates and other extensions may have rewritten the text on its way into the queue. Pi
      // delivers steering before follow-ups, and each in the order it came.
      if (steering.shift()) return false;
      return followUps.shift()?.byPerson ?? false;
    },

    steeringWaits: () => steering.length > 0,

    forgetQueue() {
      steering = [];
      followUps = [];
    },
  };
}

function take(queue: Queued[], text: string): Queued | undefined {
  const index = queue.findIndex((queued) => queued.text === text);
  return index < 0 ? undefined : queue.splice(index, 1)[0];
}

// Since Pi 1.0 the event also fires for runs that another extension's custom message started.
function startedByCustomMessage(event: BeforeAgentStartEvent): boolean {
  return "messageType" in event && event.messageType === "custom";
}

/** The text of a user message as it was queued, images left out. */
export function textOf({ content }: UserMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
