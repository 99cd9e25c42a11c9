/**
 * An environment in which it is about noon, whatever the machine's own time and zone are: a test in which a limit holds
 * for a day never sees the day end. The name of the zone says what to add for UTC, so its sign is the other way round.
 */
export function farFromMidnight(now = new Date()) {
  const behind = now.getUTCHours() - 12;
  return { TZ: `Etc/GMT${behind < 0 ? "" : "+"}${behind}` };
}
