/** How many processes draw from how many pools, in the benchmarks of stores. */
export const POOL_SIZES: readonly { processes: number; pools: number }[] = [
  { processes: 1, pools: 1 },
  { processes: 1, pools: 1_000 },
  { processes: 1, pools: 100_000 },
  { processes: 8, pools: 1 },
  { processes: 8, pools: 1_000 },
  { processes: 64, pools: 1 },
];
