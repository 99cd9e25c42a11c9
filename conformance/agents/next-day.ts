/**
 * Loaded into the program that holds an agent: its clock goes a day further as soon as it says that it waits for the next
 * one. `Date.now` is the clock of its stores.
 */

const DAY = 86_400_000;
const clock = Date.now;
const { write } = process.stderr;
let ahead = 0;

Date.now = () => clock() + ahead;
process.stderr.write = ((...given: Parameters<typeof write>) => {
  if (String(given[0]).includes("Waiting until ")) ahead += DAY;
  return write.apply(process.stderr, given);
}) as typeof write;
