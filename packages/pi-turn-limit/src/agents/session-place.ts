import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isPisOwnProcess } from "../pi-process.ts";

/** A session, as far as its place is concerned. */
type Session = Pick<ExtensionContext, "hasUI" | "sessionManager">;

/** What Pi loads extensions for: a session, from its start to its end or to a reload. */
export interface Load {
  /** How many listeners for the end of the process there were. */
  readonly endListeners?: number;
}

/** The person's session in Pi's process. */
interface PersonsSession {
  /** What its extensions are loaded for, or will be. */
  load?: Load | undefined;
  manager?: object;
  mode?: ExtensionContext["mode"];
  /** Is it known that Pi started it, and no extension? */
  isKnown?: boolean;
  /** Has it ended, so that another one takes its place? */
  isOver: boolean;
}

// On the process, not in the module: Pi loads the module again for each session.
const PERSONS = Symbol.for("pi-turn-limit.persons-session");
const QUESTIONS = Symbol.for("pi-turn-limit.questions");
const ABOVE = Symbol.for("pi-turn-limit.pis-above");
const shared = globalThis as {
  [PERSONS]?: PersonsSession;
  [QUESTIONS]?: QuestionsPlace;
  [ABOVE]?: readonly string[];
};

/** The variable that names the Pis that started each other, by their processes. Those below them inherit it. */
const PIS_ABOVE = "PI_TURN_LIMIT_PIS_ABOVE";

/** Pi begins to load what a session needs. */
export function newLoad(): Load {
  return { endListeners: process.listenerCount("SIGTERM") };
}

/** The extension is loaded. Pi loads what its own session needs before any session starts. */
export function isLoadedFor(load: Load): void {
  if (!isPisOwnProcess()) return;
  shared[PERSONS] ??= { isOver: true };
  shared[PERSONS].load ??= load;
}

/**
 * A session starts. If it is the person's, every other one in Pi's process was opened by it, or by another extension for
 * it. In another program's process every session stands on its own.
 */
export function takePlace(session: Session & Pick<ExtensionContext, "mode">, load: Load): void {
  if (!isPisOwnProcess()) return;
  if (!shared[ABOVE]) {
    const above = process.env[PIS_ABOVE]?.split(" ") ?? [];
    // A shell, or a server of terminals, may have the variable of a Pi that ended long ago. As long as one of several is
    // at work, what was handed down by all of them holds.
    shared[ABOVE] = above.filter((pid) => pid !== `${process.pid}` && !hasEnded(pid));
    process.env[PIS_ABOVE] = [...shared[ABOVE], process.pid].join(" ");
  }
  const { mode, sessionManager: manager } = session;
  const isKnown = mode !== "print" || isStartedByPrintMode(load);
  if (isPersons(session, load, isKnown, shared[PERSONS]))
    shared[PERSONS] = { load, manager, mode, isKnown, isOver: false };
}

// Pi tells its own session how it runs; to those that extensions open, "print" is all it says. In print mode it says no more
// to its own.
function isPersons(
  { mode, sessionManager }: Session & Pick<ExtensionContext, "mode">,
  load: Load,
  isKnown: boolean,
  before: PersonsSession = { isOver: true },
): boolean {
  const isFree = before.isOver || before.manager === sessionManager;
  const { mode: modeOfPi = "print" } = before;
  if (mode !== "print") return isFree || modeOfPi === "print";
  if (modeOfPi !== "print") return false;
  if (isKnown && !before.isKnown) return true;
  return isFree && (before.load ?? load) === load;
}

// When Pi has loaded what its own session needs, print mode listens for the end of the process, and starts that session. What an
// extension opens is loaded and started without that. Where it cannot be seen, the person's session is what was loaded first.
function isStartedByPrintMode({ endListeners }: Load): boolean {
  return endListeners !== undefined && process.listenerCount("SIGTERM") > endListeners;
}

/** A session ends. After a reload, or for another session file, the next one takes its place. */
export function leavePlace({ sessionManager }: Session): void {
  const persons = shared[PERSONS];
  if (persons?.manager === sessionManager) shared[PERSONS] = { ...persons, load: undefined, isOver: true };
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
  return !isPisOwnProcess() || shared[PERSONS]?.manager === sessionManager;
}

function hasEnded(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function isBelowAnotherPi(): boolean {
  return shared[ABOVE] !== undefined && shared[ABOVE].length > 0;
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
