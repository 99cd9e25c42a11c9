import type { Ask, Reply } from "../core/governor/decision.ts";
import type { ExtensionRound } from "../core/governor/run-state.ts";
import type { GovernorView } from "../core/governor/view.ts";
import type { Max } from "../core/limits/boundary.ts";
import type { Model } from "../core/meter/model.ts";
import type { AdapterOptions } from "./options.ts";
import type { RunInfo } from "./run-info.ts";
import type { Member } from "./shared-budgets.ts";

/** Asks a person where the run works. */
export type AskPerson = NonNullable<AdapterOptions["ask"]>;

/** Where a run is listed while it works, as it is given to a run. It brings the code for its part: `listIn` does. */
export interface Listing {
  /** Makes the part of a run in it. */
  open(run: ListableRun): ListedPart;
}

/** What the part of a run in a listing may know of the run, and do to it. */
export interface ListableRun {
  readonly member: Member;
  /** The facts about the run. What they say of the time is up to date. */
  readonly view: GovernorView;
  /** The model of its last answer. */
  readonly model: Model | undefined;
  /** A person allows more of a limit. Throws `InvalidLimit`. */
  extend(limit: string, by: Max): Promise<void>;
  /** Its next turn is held until it is unfrozen. `why`: in a sentence. */
  freeze(why: string): void;
  unfreeze(): void;
  /** It ends before its next turn, and at once where it waits for a person. */
  stop(why: string): void;
  /** Tells whoever is there what was done from elsewhere. */
  notice(message: string): void;
  /** Tells a person something, once in a run. */
  warn(message: string): void;
}

/** The part of a run in a listing. */
export interface ListedPart {
  /** Work begins. */
  begin(): void;
  /** It is over. Is the run still listed? Then a freeze holds on. */
  rest(): boolean;
  /** Asks there, too: the first reply counts, and `put` is withdrawn when it comes from elsewhere. */
  ask(question: Ask, signal: AbortSignal, run: RunInfo, put: AskPerson): Promise<Reply | undefined>;
  /** It got somewhere, so that a limit was extended without a question: kept with what persons decide. */
  extended(round: ExtensionRound): void;
  /** A person lets the run go on in spite of a freeze. */
  thaw(): void;
  /** The run is no longer used. `goesOn`: another one continues from its state, in its place. */
  close(goesOn: boolean): void;
  /** Resolves when everything that was begun is done; `undefined` if nothing ever was. */
  done(): Promise<void> | undefined;
}
