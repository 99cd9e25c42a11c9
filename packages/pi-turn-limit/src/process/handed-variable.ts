import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isBelowAnother, isFirstInPi } from "./session-place.ts";

/** The variable by which a session hands its budgets down to what is started below it. */
export const PARENT_VARIABLE = "PI_TURN_LIMIT_PARENT";

type Session = Pick<ExtensionContext, "hasUI" | "sessionManager">;

// On the process, not in the module: Pi loads the module again for each session.
const INHERITED = Symbol.for("pi-turn-limit.inherited");
const shared = globalThis as { [INHERITED]?: { readonly text: string | undefined } };

/** What was handed down to this session. Its place must have been taken before. */
export function handedTo(session: Session): string | undefined {
  // What this process was started with. By now a session of its own may have written the variable.
  shared[INHERITED] ??= { text: process.env[PARENT_VARIABLE] };
  if (!isBelowAnother(session)) return undefined;
  return (isFirstInPi(session) ? shared[INHERITED].text : process.env[PARENT_VARIABLE]) || undefined;
}

/**
 * Hands something down to whatever is started from this process from now on. A session inside another one hands down
 * nothing: what it starts belongs to the session around it, as its siblings do.
 */
export function handDown(session: Session, text: string | undefined): void {
  if (!isFirstInPi(session)) return;
  if (text === undefined) delete process.env[PARENT_VARIABLE];
  else process.env[PARENT_VARIABLE] = text;
}
