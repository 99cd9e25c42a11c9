/** More than enough for any number of others that have the same id and begin anew at the same time. */
const MOST_TRIES = 100;

/**
 * Makes a request again for as long as the store says that another one came before. One that always says so, whatever it is
 * asked, is an error, and keeps nobody busy for ever.
 */
export async function untilInTime<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
  throw new Error("it says of every request that a later one came before.");
}
