import { createHash, randomUUID } from "node:crypto";
import type { Profile, Recognised } from "../agents/profile.ts";
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
  /** The newest turn of each conversation: a digest of the request, and whether it was admitted. */
  readonly #newest = new Map<string, { readonly asked: string; readonly begun: Promise<boolean> }>();
  /** Turns of conversations that no request names: how often each, by a digest, was sent and not answered. */
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
    const asked = digestOfTurn(turn, request);
    if (isByOpening) return this.#unansweredBefore(asked);
    for (let newest = this.#newest.get(conversation); newest?.asked === asked; ) {
      if (await newest.begun) return { isRetry: true, decided() {}, ended() {} };
      const now = this.#newest.get(conversation);
      if (now === newest) break;
      newest = now;
    }
    return { isRetry: false, decided: this.#begins(conversation, asked), ended() {} };
  }

  /** A turn goes on in this request, which is not the one that wanted it: it can be retried as it is now. */
  goesOnIn(turn: RecognisedTurn, request: CountedRequest): Omit<SeenBefore, "isRetry"> {
    const asked = digestOfTurn(turn, request);
    return turn.isByOpening
      ? { decided() {}, ended: (isAnswered) => this.#noteUnanswered(asked, isAnswered ? 0 : 1) }
      : { decided: this.#begins(turn.conversation, asked), ended() {} };
  }

  #begins(conversation: string, asked: string): (begun: boolean) => void {
    let decided!: (begun: boolean) => void;
    const begun = new Promise<boolean>((resolve) => {
      decided = resolve;
    });
    remember(this.#newest, conversation, { asked, begun });
    return decided;
  }

  // Two conversations may begin with the same request. Only one that was not answered is made again.
  #unansweredBefore(asked: string): SeenBefore {
    const change = (by: number) => this.#noteUnanswered(asked, by);
    const isRetry = (this.#unanswered.get(asked) ?? 0) > 0;
    if (isRetry) change(-1);
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

  #noteUnanswered(asked: string, by: number): void {
    remember(this.#unanswered, asked, (this.#unanswered.get(asked) ?? 0) + by);
  }
}

function digestOfTurn({ same }: RecognisedTurn, { bytes }: CountedRequest): string {
  return same === undefined && bytes ? digestOf(bytes) : digestOfJson(same);
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

/** A digest that is equal for equal values. A value that cannot be serialised equals no other. */
function digestOfJson(asked: unknown): string {
  try {
    return digestOf(JSON.stringify(asked) ?? "");
  } catch {
    return randomUUID();
  }
}

function digestOf(asked: string | Uint8Array): string {
  return createHash("sha256").update(asked).digest("base64");
}
