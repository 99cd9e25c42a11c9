import { join, relative } from "node:path";
import type { ExtensionAPI, ExtensionContext, SessionStartEvent } from "@earendil-works/pi-coding-agent";
import type { Load } from "../agents/session-place.ts";
import { reportProblems } from "../display/say.ts";
import { agentFolder } from "../settings/pi-folders.ts";

/** A copy of this extension, as the copies that Pi loads after it see it. */
export interface Copy {
  /** The folder of its package. */
  readonly folder: string;
  readonly load: Load;
  /** The value of a flag, which only the first copy registers: Pi does not start with a flag that is there twice. */
  flag(name: string): boolean | string | undefined;
  /** Does it hold this session? */
  serves(session: ExtensionContext["sessionManager"]): boolean;
}

type Copies = Pick<ExtensionAPI, "events">;
type RollCall = (copy: Copy) => void;

const ROLL_CALL = "turn-limit:copies";

/** Answers copies that are loaded after this one. */
export function answerOtherCopies({ events }: Copies, copy: Copy): void {
  events.on(ROLL_CALL, (call) => (call as RollCall)(copy));
}

/** The copies that Pi has loaded before. */
export function copiesBefore({ events }: Copies): readonly Copy[] {
  const copies: Copy[] = [];
  // Whoever listens is called before this returns.
  events.emit(ROLL_CALL, (copy: Copy) => copies.push(copy));
  return copies;
}

/** The one of them that is used instead of the one in this folder, if there is one. */
export function usedInstead(copies: readonly Copy[], folder: string): Copy | undefined {
  return copies.find((copy) => copy.folder !== folder && !isReplaced(copy.folder, folder));
}

// Pi loads a package of the person's first, and leaves it out when the project has the same package: it gets no events.
function isReplaced(before: string, now: string): boolean {
  const installed = relative(agentFolder(), before);
  return /^(npm|git)\b/.test(installed) && relative(join(process.cwd(), ".pi"), now) === installed;
}

/** Holds sessions. Returns what has to be called where a session has started before. */
type Serve = () => (event: SessionStartEvent, ctx: ExtensionContext) => void;

/** Leaves the sessions to another copy, and says so. Where that copy holds none after all, this one does. */
export function standBy(pi: ExtensionAPI, other: Copy, folder: string, serve: Serve): void {
  let started: SessionStartEvent | undefined;
  let isServing = false;
  pi.on("session_start", (event, ctx) => {
    started = event;
    const problem = `pi-turn-limit is there twice. ${other.folder} is used, ${folder} is not: remove one of them.`;
    if (!isServing) reportProblems(ctx, [problem]);
  });
  // By now every extension knows of the session, and no request has been sent.
  pi.on("agent_start", (_event, ctx) => {
    if (isServing || !started || other.serves(ctx.sessionManager)) return;
    isServing = true;
    serve()(started, ctx);
  });
}
