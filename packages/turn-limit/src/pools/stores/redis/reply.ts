import type { Amounts } from "../../ledger/amounts.ts";
import { define, type List } from "./lists.ts";
import { fromWire } from "./names.ts";

/** Reads the answer of a script from one flat list: the client takes longer for lists in lists. */
export class Reply {
  readonly #parts: List;
  #next = 0;

  constructor(parts: List) {
    this.#parts = parts;
  }

  text(): string {
    return String(this.#parts[this.#next++] ?? "");
  }

  number(): number {
    return Number(this.#parts[this.#next++]);
  }

  /** As many names as it says. */
  names(): string[] {
    return Array.from({ length: this.number() }, () => fromWire(this.text()));
  }

  /** As many names, each with a number, as it says. */
  amounts(): Amounts {
    const amounts: Record<string, number> = {};
    for (let left = this.number(); left > 0; left -= 1) define(amounts, fromWire(this.text()), this.number());
    return amounts;
  }
}
