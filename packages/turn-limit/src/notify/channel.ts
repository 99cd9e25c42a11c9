import type { Ask, Reply } from "../core/governor/decision.ts";
import type { Choice } from "./choices.ts";

/** What notifications are about. */
export type Occasion = "question" | "budget" | "idle" | "end";

/** Something that a person is told. */
export interface Notification {
  readonly about: Occasion;
  /** Which run it is: `Claude Code in ~/site`. */
  readonly title: string;
  readonly text: string;
  /** The same for programs. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A question, and how it can be answered. */
export interface NotifiedQuestion extends Notification {
  readonly about: "question";
  readonly ask: Ask;
  readonly choices: readonly Choice[];
}

/** What a channel may do besides what it is asked for. */
export interface Background {
  /** Something is sent that nothing waits for. */
  add(sending: Promise<unknown>): void;
  /** A person should know what does not work, and why. */
  problem(what: string, error?: unknown): void;
}

/** One place to which notifications are sent. */
export interface Channel {
  /** What it is called in messages, without a secret: `ntfy at ntfy.sh`. */
  readonly name: string;
  /** Where a reply is given, as it follows "Answered": `by ntfy`. */
  readonly where: string;
  /** Can a reply come back? */
  readonly canReply: boolean;
  /** What a person does about an error, in a sentence without its full stop. */
  whatToDo(error: unknown): string;
  /** Rejects if it could not be sent. */
  tell(notification: Notification): Promise<void>;
  /** Asks. `undefined`: there will be no reply. Rejects if it could not be sent. */
  ask(question: NotifiedQuestion, withdrawn: AbortSignal, background: Background): Promise<Reply | undefined>;
  /** Ends what is still under way. */
  close(): void;
}

/** How long things may take, in milliseconds. */
export const TIMING = {
  /** A notification that is not sent by then is given up. */
  within: 10_000,
  /** After how long sending is tried again. */
  retryAfter: [500, 2_000],
  /** The end of a run waits for no longer than this for what is still to be sent. */
  lastWords: 5_000,
  /** A server of ntfy is silent for no longer than 45 seconds: then it sends that it is there. */
  silence: 100_000,
  /** After how long the answers are listened to again: doubled each time, up to the longest. */
  reconnectAfter: 250,
  reconnectAfterMost: 15_000,
  /** Nobody waits for a server whose answers could never be heard by then. */
  unheardFor: 30_000,
  /** For how long whoever answers too late is told so. */
  tooLateFor: 60_000,
};

export type Timing = typeof TIMING;
