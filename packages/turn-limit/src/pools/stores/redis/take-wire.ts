import { of } from "../../ledger/amounts.ts";
import type { Take, Taken } from "../../ledger/store.ts";
import { KINDS } from "./take-script.ts";
import { fromWire, type List, setAmount, toWire } from "./wire.ts";

/** What the script TAKE says of one request. */
export type TakenReply = Pick<
  Taken,
  "kind" | "refused" | "settled" | "held" | "holds" | "agents" | "incarnation"
> & {
  /** All that the record has amounts of, in its order. */
  measures: readonly string[];
};

/** Requests to one record as the script TAKE reads them: one flat list. `before`: when nobody waits for them any more. */
export function toRequests(
  takes: readonly Take[],
  now: number | undefined,
  before: number | undefined,
): string {
  const asked: (string | number | boolean)[] = [now ?? false, before ?? false, takes.length];
  for (const { member } of takes) asked.push(toWire(member.id));
  for (const take of takes) {
    const { member, incarnation, turn, answered, heard, lease, keepFor, period, thawed } = take;
    const { used, want, hold, limits, leaves = false, force = false } = take;
    const reserves = want !== undefined || hold !== undefined;
    asked.push(toWire(member.name), incarnation, turn, answered, heard, lease, keepFor ?? false);
    asked.push(period?.from ?? false, period?.to ?? false, thawed ?? false);
    asked.push(reserves, hold !== undefined, leaves, force, limits !== undefined);
    asked.push(member.run ? JSON.stringify(member.run) : false);
    const measures = measuresOf(take);
    asked.push(measures.length);
    for (const measure of measures) {
      asked.push(toWire(measure), of(used, measure) ?? false, of(want, measure) ?? false);
      asked.push(of(hold, measure) ?? false, of(limits, measure) ?? false);
    }
  }
  return JSON.stringify(asked);
}

// What is limited comes first, in the order of the limits: in that order it is refused. What is only limited and neither
// used nor asked for decides nothing.
function measuresOf({ used, want, hold, limits }: Take): string[] {
  const amounts = { ...used, ...want, ...hold };
  const measures = Object.keys(amounts);
  if (!limits) return measures;
  const limited = Object.keys(limits).filter((measure) => Object.hasOwn(amounts, measure));
  return [...limited, ...measures.filter((measure) => !Object.hasOwn(limits, measure))];
}

/** Reads the reply of the script TAKE: one flat list, which begins with what all requests have in common. */
export class TakeReply {
  readonly #parts: List;
  #next = 4;
  readonly now: number;
  readonly head: string;
  readonly state: string;

  constructor(parts: List) {
    this.#parts = parts;
    this.now = Number(parts[1]);
    this.head = String(parts[2]);
    this.state = String(parts[3]);
  }

  /** What it says of the next request. */
  next(): TakenReply {
    const kind = KINDS[this.#number() - 1] ?? "stale";
    const [agents, incarnation] = [this.#number(), this.#number()];
    const refused = this.#text().split("\t").slice(1).map(fromWire);
    const [settled, held, holds] = [{}, {}, {}];
    const measures: string[] = [];
    for (let left = this.#number(); left > 0; left -= 1) {
      const measure = fromWire(this.#text());
      measures.push(measure);
      for (const amounts of [settled, held, holds]) {
        const amount = this.#number();
        if (amount !== 0) setAmount(amounts, measure, amount);
      }
    }
    return { kind, refused, settled, held, holds, agents, incarnation, measures };
  }

  #text(): string {
    return String(this.#parts[this.#next++] ?? "");
  }

  #number(): number {
    return Number(this.#parts[this.#next++]);
  }
}
