import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isPisOwnProcess } from "../pi-process.ts";

/** A session, as far as its place is concerned. */
type Session = Pick<ExtensionContext, "hasUI" | "sessionManager">;

// On the process, not in the module: Pi loads the module again for each session.
const TOP = Symbol.for("pi-turn-limit.top-session");
const QUESTIONS = Symbol.for("pi-turn-limit.questions");
const shared = globalThis as { [TOP]?: object; [QUESTIONS]?: QuestionsPlace };

/** The variable that names the first Pi of those that started each other. The processes below it inherit it. */
const FIRST_PI = "PI_TURN_LIMIT_FIRST_PI";

/**
 * A session starts. The first one is the top of Pi's process until it ends: what starts meanwhile was started by it, or by
 * another extension for it. In another program's process every session stands on its own.
 */
export function takePlace({ sessionManager }: Session): void {
  if (!isPisOwnProcess()) return;
  shared[TOP] ??= sessionManager;
  process.env[FIRST_PI] ??= String(process.pid);
}

/** A session ends. After a reload, or for another session file, the next one takes its place. */
export function leavePlace({ sessionManager }: Session): void {
  if (shared[TOP] === sessionManager) delete shared[TOP];
}

/** May this session end Pi's process, or decide its exit code? With a UI, a person can do that. */
export function mayEndPi(session: Session): boolean {
  return !session.hasUI && isTop(session) && isPisOwnProcess();
}

/** May this session write to stderr? The screen of a TUI would be garbled, and another session's output is not ours. */
export function mayUseStderr(session: Session): boolean {
  return !session.hasUI && isTop(session);
}

/**
 * Does another session, or a program that one started, wait for the result of this one? A person who runs `pi -p` at a
 * terminal reads it there, even if that terminal was opened from within Pi.
 */
export function isSubAgent(session: Session): boolean {
  return !session.hasUI && (!isTop(session) || (isBelowAnotherPi() && !process.stdout.isTTY));
}

/**
 * Was this session started by another one, in its process or as a process below it? A Pi at a terminal of its own is a
 * person's, also where that terminal was opened from within Pi.
 */
export function isBelowAnother(session: Session): boolean {
  return !isTop(session) || (isBelowAnotherPi() && !process.stdout.isTTY);
}

/** Is this the session that the processes started from here belong to? */
export function isFirstInPi(session: Session): boolean {
  return isPisOwnProcess() && isTop(session);
}

function isTop({ hasUI, sessionManager }: Session): boolean {
  // Somebody's TUI has this terminal, so there is another session above, even if this extension is not loaded there.
  if (!hasUI && process.stdin.isRaw) return false;
  return shared[TOP] === undefined || shared[TOP] === sessionManager;
}

function isBelowAnotherPi(): boolean {
  const first = process.env[FIRST_PI];
  return first !== undefined && first !== String(process.pid);
}

/** Where the agents below this process put their questions. Its sessions, one after the other, have the same place. */
export interface QuestionsPlace {
  readonly pool: string;
  /** Has a session begun to look there? Agents may be at work that it started, so the next one has to go on with it. */
  isWatched: boolean;
}

export function questionsPlace(): QuestionsPlace {
  shared[QUESTIONS] ??= { pool: `questions ${process.pid} ${Date.now()}`, isWatched: false };
  return shared[QUESTIONS];
}
