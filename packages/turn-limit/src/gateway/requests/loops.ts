import { isPlainObject } from "../../core/checks.ts";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Run } from "../../run/run.ts";
import type { Profile } from "../agents/profile.ts";
import type { SeenCall } from "../protocols/protocol.ts";
import type { RecognisedTurn } from "./recognition.ts";
import type { CountedRequest } from "./verdict.ts";

/** How many conversations are remembered. */
const MOST_REMEMBERED = 1_000;

/**
 * Tells a run of the tool calls that its agent made, as the requests of its conversations say. The agent runs them by itself,
 * so they are known only once they have their results.
 */
export class Loops {
  readonly #run: Run;
  readonly #resultText: Profile["resultText"];
  /** The calls that each conversation had in its newest request, and what the model was told in it. */
  readonly #seen = new Map<string, { ids: ReadonlySet<string>; told: string | undefined }>();

  constructor(run: Run, profile: Profile | undefined) {
    this.#run = run;
    this.#resultText = profile?.resultText;
  }

  /** What the model is told in this request of a loop that it is in. A request that is made again tells the same. */
  told(
    { conversation, isByOpening }: RecognisedTurn,
    { protocol, body }: CountedRequest,
    isRetry: boolean,
  ): string | undefined {
    if (this.#run.view.settings.repeats.max === "unlimited" || !protocol || !body) return undefined;
    const before = this.#seen.get(conversation);
    if (isRetry) return before?.told;
    const calls = protocol.calls(body);
    // What a conversation began with was made in an earlier run.
    const added = before ? calls.filter(({ id }) => !before.ids.has(id)) : [];
    const told = added
      .map((call) => this.#run.observed(call, this.#resultOf(call)))
      .filter((loop) => loop !== undefined);
    this.#seen.delete(conversation);
    // Two conversations that begin alike may alternate. Their calls are each told once.
    const known = isByOpening && before ? before.ids : [];
    const ids = new Set([...known, ...calls.map(({ id }) => id)]);
    this.#seen.set(conversation, { ids, told: told.at(-1) });
    for (const [oldest] of this.#seen) {
      if (this.#seen.size <= MOST_REMEMBERED) break;
      this.#seen.delete(oldest);
    }
    return told.at(-1);
  }

  #resultOf({ result }: SeenCall): unknown {
    return this.#resultText ? withTexts(result, this.#resultText) : result;
  }
}

/** The value with each text in it changed. */
function withTexts(value: unknown, changed: (text: string) => string): unknown {
  if (typeof value === "string") return changed(value);
  if (Array.isArray(value)) return value.map((each) => withTexts(each, changed));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withTexts(each, changed)]));
}

/** Without a profile nobody knows which requests belong to one conversation, so a limit of repeats would hold nothing. */
export function requireNoRepeats({ view }: Run): void {
  const { max } = view.settings.repeats;
  if (max !== "unlimited")
    throw new InvalidLimit("repeats", max, "left out where there is no profile of the agent");
}
