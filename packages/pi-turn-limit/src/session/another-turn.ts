import type { AssistantMessage } from "@earendil-works/pi-ai";

/** Follows the tool calls of a turn, to know whether another turn follows. */
export interface AnotherTurn {
  /** The model answered. Did it make tool calls? */
  answered(message: AssistantMessage): boolean;
  /** A tool call ended; one that says `terminate` wants the run to end with its batch. */
  toolEnded(id: string, terminate: boolean): void;
  /** A tool call's result is in the transcript. Was it the last of the turn, with another turn to come? */
  resultArrived(id: string): boolean;
}

export function createAnotherTurn(): AnotherTurn {
  const waiting = new Set<string>();
  let goesOn = false;

  return {
    answered({ content }) {
      waiting.clear();
      goesOn = false;
      for (const part of content) if (part.type === "toolCall") waiting.add(part.id);
      return waiting.size > 0;
    },

    toolEnded(id, terminate) {
      if (waiting.has(id) && !terminate) goesOn = true;
    },

    resultArrived(id) {
      return waiting.delete(id) && waiting.size === 0 && goesOn;
    },
  };
}
