/** A tool call that was made, or refused. */
interface Made {
  id?: string;
  call: string;
  /** `undefined` as long as it has none. */
  result?: string | undefined;
  isRefused?: true;
}

const LONGEST_CYCLE = 16;

/** The calls of a run in a row, restated without any cleverness: how often was the same one made, with the same result? */
export class Row {
  #row: Made[] = [];
  /** Calls of this turn that have no place yet, because one of them, or one before them, may still get a result. */
  #open: Made[] = [];
  #atTurn: Made[] = [];

  /** How often in a row the call was made, and in what cycle. It is told apart from others by nothing else than its text. */
  times(call: string): { times: number; cycle: number } {
    const known = this.#open.findLastIndex(isOver) + 1;
    // Another call that is under way comes between, unless calls that ended are nested in it.
    if (this.#open.slice(known).some((other) => other.call !== call)) return { times: 0, cycle: 0 };
    return longest(placed(this.#row, this.#open.slice(0, known)), call);
  }

  began(id: string, call: string): void {
    this.#open.push({ id, call });
  }

  ended(id: string | undefined, result: string): void {
    const call = this.#open.find((one) => !isOver(one) && (id === undefined || one.id === id));
    if (call) call.result = result;
    this.#settle();
  }

  /** The call must not be made again, and only keeps its place. */
  refused(call: string): void {
    this.#open.push({ call, isRefused: true });
    this.#settle();
  }

  turnBegins(): void {
    this.#row = this.#atTurn = placed(this.#row, this.#open);
    this.#open = [];
  }

  answerLost(): void {
    this.#row = this.#atTurn;
    this.#open = [];
  }

  /** Those at the beginning are over, or there are too many that wait for them. */
  #settle(): void {
    const isLong = () => this.#open.length > LONGEST_CYCLE && this.#open.slice(1).some(isOver);
    while (this.#open[0] && (isOver(this.#open[0]) || isLong()))
      this.#row = placed(this.#row, this.#open.splice(0, 1));
  }
}

function isOver({ isRefused, result }: Made): boolean {
  return isRefused || result !== undefined;
}

/** The row with more calls: one that was refused has the result that it would have had. */
function placed(row: Made[], calls: Made[]): Made[] {
  const after = [...row];
  for (const { call, result, isRefused } of calls) {
    if (isRefused) after.push({ call, isRefused, result: after.at(-longest(after, call).cycle)?.result });
    else after.push({ call, result });
  }
  return after;
}

/** How often in a row the call was made, in which of the cycles that it would be the next of. */
function longest(row: Made[], call: string): { times: number; cycle: number } {
  let found = { times: 0, cycle: 0 };
  for (let cycle = 1; cycle <= Math.min(LONGEST_CYCLE, row.length); cycle += 1) {
    const before = row.at(-cycle) as Made;
    const times = before.call === call && isOver(before) ? timesRound(row, cycle) : 0;
    if (times > found.times) found = { times, cycle };
  }
  return found;
}

/** How often a cycle went round: the calls at the end that are the same as those one cycle before them, and the first. */
function timesRound(row: Made[], cycle: number): number {
  let same = 0;
  for (let index = row.length - 1; index >= cycle; index -= 1) {
    const one = row[index] as Made;
    const before = row[index - cycle] as Made;
    if (one.isRefused) continue;
    // A call without a result is like no other.
    if (one.result === undefined || one.call !== before.call || one.result !== before.result) break;
    same += 1;
  }
  return Math.floor(same / cycle) + 1;
}
