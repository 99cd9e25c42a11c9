/** The samples of each subject, in the order of the rounds. */
export type Samples<Subject extends string> = Record<Subject, number[]>;

/** How often each subject is measured. With `seconds`, no round begins after them, but there are always six. */
export interface Rounds {
  warmUp: number;
  measured: number;
  seconds?: number;
}

// With fewer, no interval has a confidence of 95 %.
const leastRounds = 6;

/** Measures each subject once per round. The order rotates with the rounds. */
export async function interleaved<Subject extends string>(
  subjects: readonly Subject[],
  { warmUp, measured, seconds = Number.POSITIVE_INFINITY }: Rounds,
  measure: (subject: Subject) => Promise<number>,
): Promise<Samples<Subject>> {
  const samples = Object.fromEntries(subjects.map((subject) => [subject, []])) as unknown as Samples<Subject>;
  const end = performance.now() + seconds * 1000;
  for (let round = -warmUp; round < measured; round++) {
    if (round >= leastRounds && performance.now() > end) break;
    const turned = subjects.map((_, place) => subjects.at((place + round) % subjects.length) as Subject);
    for (const subject of turned) {
      const sample = await measure(subject);
      if (round >= 0) samples[subject].push(sample);
    }
  }
  return samples;
}

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** How many times `base` the values are: the median over the rounds, each compared within itself. */
export function ratio(values: readonly number[], base: readonly number[]): number {
  return median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
}

/** How much more than `base` the values are: the median over the rounds, each compared within itself. */
export function excess(values: readonly number[], base: readonly number[]): number {
  return median(values.map((value, round) => value - (base[round] ?? Number.NaN)));
}

/** How many times `base` the values are, with its interval, each round compared within itself. */
export function ratioInterval(values: readonly number[], base: readonly number[]): Interval {
  const [low, high] = range(values.map((value, round) => value / (base[round] ?? Number.NaN)));
  return { middle: ratio(values, base), low, high };
}

/** How much more than `base` the values are, with its interval, each round compared within itself. */
export function excessInterval(values: readonly number[], base: readonly number[]): Interval {
  const [low, high] = range(values.map((value, round) => value - (base[round] ?? Number.NaN)));
  return { middle: excess(values, base), low, high };
}

/** Where the true median is, with a confidence of 95 % for 6 values or more, by a sign test. */
function range(values: readonly number[]): [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b);
  const rounds = sorted.length;
  let skipped = 0;
  let outside = 2 * 0.5 ** rounds;
  let term = outside;
  while (outside <= 0.05) {
    skipped += 1;
    term *= (rounds - skipped + 1) / skipped;
    outside += term;
  }
  const end = Math.max(0, skipped - 1);
  return [sorted[end] ?? Number.NaN, sorted.at(-1 - end) ?? Number.NaN];
}

/** A value and where the true one is, with a confidence of 95 %. */
export interface Interval {
  middle: number;
  low: number;
  high: number;
}

/** The mean of ratios that were measured apart from each other, at least five: Student's t on their logarithms. */
export function meanRatio(ratios: readonly number[]): Interval {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const freedom = logs.length - 1;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / freedom;
  const reach = studentT(freedom) * Math.sqrt(variance / logs.length);
  return { middle: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
}

/** Student's t for a confidence of 95 %: its series around the normal distribution, exact to 1 % from 4 degrees on. */
function studentT(freedom: number): number {
  const z = 1.959964;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}
