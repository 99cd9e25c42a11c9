const NEARLY = 0.8;

// Four cents are 80 % of five, though 0.04 / 0.05 is a little less.
const ROUNDING = 1e-9;

/** Is so much of a limit used, 80 % or more, that the person should know? */
export function isNearlyUsedUp(share: number): boolean {
  return share >= NEARLY - ROUNDING;
}
