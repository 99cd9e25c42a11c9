/** More than any day has, in milliseconds. */
export const OVER_A_DAY = 26 * 3_600_000;

/** The clock of whatever is started with it is ahead by more than a day, from its very beginning. */
export const onTheNextDay = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `const { now } = Date; Date.now = () => now() + ${OVER_A_DAY};`,
  )}`,
};
