import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { isPlainObject } from "../../core/checks.ts";
import type { Choice } from "../choices.ts";

/** The replies to one question that were sent out, each signed with a secret that only this question has. */
export class SignedReplies {
  readonly id = randomUUID();
  readonly #key = randomBytes(32);
  readonly #choices: readonly Choice[];

  constructor(choices: readonly Choice[]) {
    this.#choices = choices;
  }

  /** What a button sends. */
  bodyOf({ word }: Choice): string {
    const signature = this.#sign(word).toString("base64url");
    return JSON.stringify({ question: this.id, reply: word, signature });
  }

  /** The button that sent this. `undefined`: it is forged. */
  choiceIn(text: string): Choice | undefined {
    const { question, reply, signature } = objectIn(text);
    const choice = this.#choices.find(({ word }) => word === reply);
    if (question !== this.id || !choice || typeof signature !== "string") return undefined;
    const given = Buffer.from(signature, "base64url");
    const expected = this.#sign(choice.word);
    return given.length === expected.length && timingSafeEqual(given, expected) ? choice : undefined;
  }

  #sign(word: string): Buffer {
    return createHmac("sha256", this.#key).update(`${this.id}\n${word}`).digest();
  }
}

/** The object that a text is in JSON, or an empty one. */
export function objectIn(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text);
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}
