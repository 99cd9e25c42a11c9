import { createHash, randomUUID } from "node:crypto";

/**
 * What a request asks, to be compared with what another one asks. Reading all of it takes as long as the rest of deciding
 * about the request, so it is read only if both could be equal, or after the request is on its way.
 */
export class Fingerprint {
  /** Two that differ in this are not equal. */
  readonly #size: number;
  /** Left out once it is read: it may be long. */
  #asked: { readonly bytes: Uint8Array } | { readonly value: unknown } | undefined;
  #digest = "";

  private constructor(size: number, asked: { readonly bytes: Uint8Array } | { readonly value: unknown }) {
    this.#size = size;
    this.#asked = asked;
  }

  /** That of a body, byte for byte. */
  static ofBytes(bytes: Uint8Array): Fingerprint {
    return new Fingerprint(bytes.length, { bytes });
  }

  /** That of a JSON value. One that cannot be serialised equals no other. */
  static ofJson(value: unknown): Fingerprint {
    return new Fingerprint(Array.isArray(value) || typeof value === "string" ? value.length : 0, { value });
  }

  equals(other: Fingerprint): boolean {
    return this.#size === other.#size && this.digest === other.digest;
  }

  /** Equal for equal requests. */
  get digest(): string {
    if (this.#asked)
      this.#digest = digestOf("bytes" in this.#asked ? this.#asked.bytes : jsonOf(this.#asked));
    this.#asked = undefined;
    return this.#digest;
  }

  /** Reads it soon: not before what is under way now has been written to its connections. */
  readSoon(): void {
    if (this.#asked) setImmediate(read, this);
  }
}

function read(fingerprint: Fingerprint): void {
  void fingerprint.digest;
}

function jsonOf({ value }: { readonly value: unknown }): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return randomUUID();
  }
}

function digestOf(asked: string | Uint8Array): string {
  return createHash("sha256").update(asked).digest("base64");
}
