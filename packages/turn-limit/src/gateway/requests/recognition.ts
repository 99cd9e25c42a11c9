import { randomUUID } from "node:crypto";
import type { Profile, Recognised } from "../agents/profile.ts";
import { Fingerprint } from "./fingerprint.ts";
import type { CountedRequest } from "./verdict.ts";

/** A turn of the agent's, or of one that works for it. */
export type RecognisedTurn = Extract<Recognised, { kind: "turn" }>;

/** Whether a turn is a retry of an earlier one. */
interface SeenBefore {
  readonly isRetry: boolean;
  /** To be called with whether it was admitted: a turn that was not cannot be retried. */
  decided(begun: boolean): void;
  /** To be called when its request is over: did a whole answer arrive? */
  ended(isAnswered: boolean): void;
}

/** How many conversations are remembered. */
const MOST_REMEMBERED = 10_000;

/** Recognises the requests of a run: turns, retries, and requests that are no turns. */
export class Recognition {
  readonly #profile: Profile | undefined;
  /** The newest turn of each conversation: what it asked, and whether it was admitted. */
  readonly #newest = new Map<string, { readonly asked: Fingerprint; readonly begun: Promise<boolean> }>();
  /** Turns of conversations that no request names: how often each, by its digest, was sent and not answered. */
  readonly #unanswered = new Map<string, number>();
  /** Has the first request of the agent shown whether its requests can be told apart? */
  #isChecked = false;
  #problem: string | undefined;

  constructor(profile: Profile | undefined) {
    this.#profile = profile;
  }

  /** Why the agent's requests cannot be told apart, if its first one has shown that. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * What the request is. `undefined`: it asks no model, or there is no profile. A request of another program, which the
   * agent has started, is a turn of a sub-agent, and so is one of the agent that cannot be read or is not recognised.
   */
  recognised(request: CountedRequest): Recognised | undefined {
    const profile = this.#profile;
    if (!profile) return undefined;
    const { headers, protocol } = request;
    const version = profile.version(headers);
    if (version === undefined) return aTurnOfItsOwn();
    if (!protocol) return undefined;
    const lacking = profile.lacks(headers);
    if (!this.#isChecked) this.#check(version, lacking);
    const body = this.#problem === undefined && lacking === undefined ? request.body : undefined;
    const streams = request.asked?.streams === true;
    return (body && profile.recognise({ headers, protocol, body, streams })) || aTurnOfItsOwn();
  }

  // Every version is held by what its requests say of themselves. One that says nothing is held by each request.
  #check(version: string, lacking: string | undefined): void {
    this.#isChecked = true;
    if (!this.#profile || lacking === undefined) return;
    const { name, tested } = this.#profile;
    this.#problem =
      `Requests of ${name} ${version} lack ${lacking}, so each counts as a turn, and at a limit nobody is asked. ` +
      `Versions that have it: ${tested.join(", ")}`;
  }

  /** Is it a retry? An equal turn that is still being decided is waited for. */
  async seenBefore(turn: RecognisedTurn, request: CountedRequest): Promise<SeenBefore> {
    const { conversation, isByOpening } = turn;
    const asked = fingerprintOf(turn, request);
    if (isByOpening) return this.#unansweredBefore(asked);
    for (let newest = this.#newest.get(conversation); newest?.asked.equals(asked); ) {
      if (await newest.begun) return { isRetry: true, decided() {}, ended() {} };
      const now = this.#newest.get(conversation);
      if (now === newest) break;
      newest = now;
    }
    return { isRetry: false, decided: this.#begins(conversation, asked), ended() {} };
  }

  /** A turn goes on in this request, which is not the one that wanted it: it can be retried as it is now. */
  goesOnIn(turn: RecognisedTurn, request: CountedRequest): Omit<SeenBefore, "isRetry"> {
    const asked = fingerprintOf(turn, request);
    return turn.isByOpening
      ? this.#goesOnUnnamed(asked)
      : { decided: this.#begins(turn.conversation, asked), ended() {} };
  }

  #begins(conversation: string, asked: Fingerprint): (begun: boolean) => void {
    let decided!: (begun: boolean) => void;
    const begun = new Promise<boolean>((resolve) => {
      decided = resolve;
    });
    remember(this.#newest, conversation, { asked, begun });
    asked.readSoon();
    return decided;
  }

  // Two conversations may begin with the same request. Only one that was not answered is made again.
  #unansweredBefore(asked: Fingerprint): SeenBefore {
    const change = (by: number) => this.#noteUnanswered(asked, by);
    const isRetry = this.#unanswered.size > 0 && this.#unanswered.has(asked.digest);
    if (isRetry) change(-1);
    asked.readSoon();
    return {
      isRetry,
      decided: (begun) => {
        if (isRetry && !begun) change(1);
      },
      ended: (isAnswered) => {
        if (!isAnswered) change(1);
      },
    };
  }

  #goesOnUnnamed(asked: Fingerprint): Omit<SeenBefore, "isRetry"> {
    asked.readSoon();
    return {
      decided() {},
      ended: (isAnswered) => {
        if (!isAnswered) this.#noteUnanswered(asked, 1);
      },
    };
  }

  #noteUnanswered({ digest }: Fingerprint, by: number): void {
    const times = (this.#unanswered.get(digest) ?? 0) + by;
    if (times > 0) remember(this.#unanswered, digest, times);
    else this.#unanswered.delete(digest);
  }
}

function fingerprintOf({ same }: RecognisedTurn, { bytes }: CountedRequest): Fingerprint {
  return same === undefined && bytes ? Fingerprint.ofBytes(bytes) : Fingerprint.ofJson(same);
}

function aTurnOfItsOwn(): RecognisedTurn {
  return { kind: "turn", conversation: randomUUID(), isSubAgent: true };
}

// The least recently used one is forgotten first.
function remember<Value>(all: Map<string, Value>, key: string, value: Value): void {
  all.delete(key);
  all.set(key, value);
  for (const [oldest] of all) {
    if (all.size <= MOST_REMEMBERED) break;
    all.delete(oldest);
  }
}
