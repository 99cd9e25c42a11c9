import { createHash, randomUUID } from "node:crypto";
import type { Profile, Recognised } from "../agents/profile.ts";
import type { CountedRequest } from "./verdict.ts";

/** A turn of the agent's, or of one that works for it. */
export type RecognisedTurn = Extract<Recognised, { kind: "turn" }>;

/** Whether a turn is a retry of the newest one of its conversation. */
interface SeenBefore {
  readonly isRetry: boolean;
  /** To be called with whether it was admitted: a turn that was not cannot be retried. */
  decided(begun: boolean): void;
}

/** How many conversations are remembered. */
const MOST_REMEMBERED = 10_000;

/** Recognises the requests of a run: turns, retries, and requests that are no turns. */
export class Recognition {
  readonly #profile: Profile | undefined;
  /** The newest turn of each conversation: a digest of the request, and whether it was admitted. */
  readonly #newest = new Map<string, { readonly asked: string; readonly begun: Promise<boolean> }>();
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
  recognised({ headers, protocol, body }: CountedRequest): Recognised | undefined {
    const profile = this.#profile;
    if (!profile) return undefined;
    const version = profile.version(headers);
    if (version === undefined) return aTurnOfItsOwn();
    if (!protocol) return undefined;
    const lacking = profile.lacks(headers);
    if (!this.#isChecked) this.#check(version, lacking);
    const isReadable = this.#problem === undefined && lacking === undefined && body;
    return (isReadable && profile.recognise({ headers, protocol, body })) || aTurnOfItsOwn();
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
  async seenBefore({ conversation, same }: RecognisedTurn, { body }: CountedRequest): Promise<SeenBefore> {
    const asked = digestOf(same ?? body);
    for (let newest = this.#newest.get(conversation); newest?.asked === asked; ) {
      if (await newest.begun) return { isRetry: true, decided() {} };
      const now = this.#newest.get(conversation);
      if (now === newest) break;
      newest = now;
    }
    let decided!: (begun: boolean) => void;
    const begun = new Promise<boolean>((resolve) => {
      decided = resolve;
    });
    remember(this.#newest, conversation, { asked, begun });
    return { isRetry: false, decided };
  }
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
function digestOf(asked: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(asked);
  } catch {
    return randomUUID();
  }
  return createHash("sha256")
    .update(text ?? "")
    .digest("base64");
}
