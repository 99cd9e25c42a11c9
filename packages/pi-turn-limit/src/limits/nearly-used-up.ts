const NEARLY = 0.8;

// Four cents are 80 % of five, though 0.04 / 0.05 is a little less.
const ROUNDING = 1e-9;

/** Is 80 % or more of a limit used? Then the person should know. */
export function isNearlyUsedUp(share: number): boolean {
  return share >= NEARLY - ROUNDING;
}
