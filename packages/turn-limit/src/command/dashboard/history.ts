import type { PoolView } from "../pools/pool-view.ts";
import type { Rates } from "./news.ts";

/** What was used in all at some time. */
interface Point {
  readonly at: number;
  readonly cost: number;
  readonly tokens: number;
}

interface Kept {
  /** The ends of the last minutes in which it was looked, the current one last. */
  minutes: Point[];
  /** Seconds apart, from a minute ago until now. */
  recent: Point[];
}

const MINUTE = 60_000;
const MOST_MINUTES = 61;
const APART = 5_000;

/** What each pool and each run had used at the end of each minute since it was first looked at. */
export class History {
  readonly #kept = new Map<string, Kept>();

  /** Notes what a pool has used, and says what of it in the last minute, and in each of the last hour. */
  note({ record, use }: PoolView, now: number): Rates {
    const point = { at: now, cost: use.cost?.used ?? 0, tokens: use.tokens?.used ?? 0 };
    const kept = this.#kept.get(record);
    const last = kept?.minutes.at(-1);
    // A pool that was reset starts over.
    const isNew = !last || point.cost < last.cost || point.tokens < last.tokens;
    const { minutes, recent } =
      isNew || !kept ? { minutes: [{ ...point, at: now - MINUTE }], recent: [point] } : kept;
    if (isNew) this.#kept.set(record, { minutes, recent });
    noteMinute(minutes, point);
    noteRecent(recent, point);
    return ratesOf(minutes, recent, point);
  }

  /** Forgets pools and runs that are gone. */
  keepOnly(records: ReadonlySet<string>): void {
    for (const record of this.#kept.keys()) if (!records.has(record)) this.#kept.delete(record);
  }
}

function noteMinute(minutes: Point[], point: Point): void {
  const last = minutes.at(-1);
  let minute = minuteOf(last ?? point);
  if (last && minute === minuteOf(point)) minutes.pop();
  // Nothing was seen of those between: nobody looked.
  else while (last && ++minute < minuteOf(point)) minutes.push({ ...last, at: minute * MINUTE });
  minutes.push(point);
  if (minutes.length > MOST_MINUTES) minutes.splice(0, minutes.length - MOST_MINUTES);
}

function noteRecent(recent: Point[], point: Point): void {
  if (point.at - (recent.at(-1)?.at ?? 0) >= APART) recent.push(point);
  // The oldest that stays is the last one that is a minute old, so that it is known what was used since.
  while (recent[1] && recent[1].at <= point.at - MINUTE) recent.shift();
}

function ratesOf(minutes: readonly Point[], [oldest]: readonly Point[], now: Point): Rates {
  const minutesSince = oldest ? Math.max(1, (now.at - oldest.at) / MINUTE) : 1;
  const perMinute = (of: "cost" | "tokens") => rounded((now[of] - (oldest ?? now)[of]) / minutesSince);
  return {
    costPerMinute: perMinute("cost"),
    tokensPerMinute: perMinute("tokens"),
    costs: grown(minutes, "cost"),
    tokens: grown(minutes, "tokens"),
  };
}

// Nothing at all is an empty list, so that what rests is not told anew each minute.
function grown(points: readonly Point[], of: "cost" | "tokens"): number[] {
  const each = points.slice(1).map((point, index) => rounded(point[of] - (points[index] as Point)[of]));
  return each.some((amount) => amount > 0) ? each : [];
}

function minuteOf({ at }: Point): number {
  return Math.floor(at / MINUTE);
}

function rounded(amount: number): number {
  return Number(amount.toPrecision(4));
}
