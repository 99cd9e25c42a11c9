import type { Options } from "@anthropic-ai/claude-agent-sdk";
import type { GovernedRuns } from "../shared/GovernedRuns.ts";

type Dialogs = Pick<Options, "canUseTool" | "onElicitation" | "onUserDialog">;

/** The caller's dialogs with a person: the time that they take does not count. */
export function waitingFor(
  { canUseTool, onElicitation, onUserDialog }: Options,
  runs: GovernedRuns,
): Dialogs {
  let open = 0;

  function waiting<Given extends unknown[], Answer>(dialog: (...given: Given) => Promise<Answer>) {
    return async (...given: Given): Promise<Answer> => {
      open += 1;
      runs.waiting = true;
      try {
        return await dialog(...given);
      } finally {
        open -= 1;
        if (open === 0) runs.waiting = false;
      }
    };
  }

  return {
    ...(canUseTool && { canUseTool: waiting(canUseTool) }),
    ...(onElicitation && { onElicitation: waiting(onElicitation) }),
    ...(onUserDialog && { onUserDialog: waiting(onUserDialog) }),
  };
}
