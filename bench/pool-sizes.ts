/** How many processes draw from how many pools, in the benchmark of SQLite. Each process has one member. */
export const POOL_SIZES: readonly { processes: number; pools: number }[] = [
  { processes: 1, pools: 1 },
  { processes: 1, pools: 1_000 },
  { processes: 1, pools: 100_000 },
  { processes: 8, pools: 1 },
  { processes: 8, pools: 1_000 },
  { processes: 64, pools: 1 },
];

/** How many processes with how many members draw from one pool, in the benchmark of Redis. */
export const MEMBERS: readonly { processes: number; members: number }[] = [
  { processes: 1, members: 1 },
  { processes: 8, members: 1 },
  { processes: 64, members: 1 },
  { processes: 1, members: 8 },
  { processes: 1, members: 32 },
];
