/** The samples of each subject, in the order of the rounds. */
export type Samples<Subject extends string> = Record<Subject, number[]>;

/** Measures each subject once per round, in an order that turns with the rounds. */
export async function interleaved<Subject extends string>(
  subjects: readonly Subject[],
  rounds: { warmUp: number; measured: number },
  measure: (subject: Subject) => Promise<number>,
): Promise<Samples<Subject>> {
  const samples = Object.fromEntries(subjects.map((subject) => [subject, []])) as unknown as Samples<Subject>;
  for (let round = -rounds.warmUp; round < rounds.measured; round++) {
    const turned = subjects.map((_, place) => subjects.at((place + round) % subjects.length) as Subject);
    for (const subject of turned) {
      const sample = await measure(subject);
      if (round >= 0) samples[subject].push(sample);
    }
  }
  return samples;
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** How many times `base` the values are: the middle of the rounds, each compared within itself. */
export function ratio(values: readonly number[], base: readonly number[]): number {
  return median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
}

/** How much more than `base` the values are: the middle of the rounds, each compared within itself. */
export function excess(values: readonly number[], base: readonly number[]): number {
  return median(values.map((value, round) => value - (base[round] ?? Number.NaN)));
}

/** Where the true ratio is, with a confidence of 95 % from 6 rounds on: the ends of a sign test around the middle. */
export function ratioRange(values: readonly number[], base: readonly number[]): [low: number, high: number] {
  const ratios = values.map((value, round) => value / (base[round] ?? Number.NaN)).toSorted((a, b) => a - b);
  const rounds = ratios.length;
  let skipped = 0;
  let outside = 2 * 0.5 ** rounds;
  let term = outside;
  while (outside <= 0.05) {
    skipped += 1;
    term *= (rounds - skipped + 1) / skipped;
    outside += term;
  }
  const end = Math.max(0, skipped - 1);
  return [ratios[end] ?? Number.NaN, ratios.at(-1 - end) ?? Number.NaN];
}
