import type { UserMessage } from "@earendil-works/pi-ai";
import type { BeforeAgentStartEvent, InputEvent } from "@earendil-works/pi-coding-agent";

interface Said {
  text: string;
  byPerson: boolean;
}

/** Tells a person's prompt from everything else that makes an agent work: programs, steering, retries. */
export interface WhoPrompted {
  /**
   * Text came in. `somethingWaits`: was something already waiting in Pi's queue? `acted`: is it another extension's, as the
   * consequence of what the person did?
   */
  onInput(event: InputEvent, somethingWaits: boolean, acted?: boolean): void;
  /** Has a person prompted, and the run has not started yet? */
  personsPromptComes(): boolean;
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
  let promptIsNext = false;
  let idle: Said[] = [];
  let steering: Said[] = [];
  let followUps: Said[] = [];

  return {
    onInput({ text, source, streamingBehavior }, somethingWaits, acted = false) {
      const said = { text, byPerson: source !== "extension" || acted };
      // A message can be taken back from the queue, and there is no event for that.
      if (streamingBehavior && !somethingWaits) {
        steering = [];
        followUps = [];
      }
      if (streamingBehavior === "steer") steering.push(said);
      else if (streamingBehavior === "followUp") followUps.push(said);
      else idle.push(said);
    },

    personsPromptComes: () => idle.some(({ byPerson }) => byPerson),

    isPersonsPrompt(event) {
      if (startedByCustomMessage(event)) return false;
      promptIsNext = true;
      const said = take(idle, event.prompt) ?? idle.pop();
      return said?.byPerson ?? false;
    },

    isPersonsFollowUp(text) {
      if (promptIsNext) {
        promptIsNext = false;
        return false;
      }
      if (take(steering, text)) return false;
      // Text that came while Pi compacted waits in its queue too, though no run was under way.
      const exact = take(followUps, text) ?? take(idle, text);
      if (exact) return exact.byPerson;
      // Templates and other extensions may have rewritten the text on its way into the queue. Pi
      // delivers steering before follow-ups, and each in the order it came.
      if (steering.shift()) return false;
      return (followUps.shift() ?? idle.shift())?.byPerson ?? false;
    },

    steeringWaits: () => steering.length > 0,

    forgetQueue() {
      idle = [];
      steering = [];
      followUps = [];
    },
  };
}

function take(queue: Said[], text: string): Said | undefined {
  const index = queue.findIndex((said) => said.text === text);
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
