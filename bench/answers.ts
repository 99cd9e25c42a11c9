/**
 * Asks many questions in a store, has them answered by several processes at once, kills and stops those and what they need at
 * random, and counts the answers that were counted twice, lost, or accepted after closing. There must be none: then it ends
 * with 0. It also counts those that were acted on where they were given, and not kept because the store could not be used.
 *
 * `npm run answers -- [QUESTIONS] [sqlite] [redis]`: 10,000 in each if left out.
 */
import { playOnRedis, playOnSqlite } from "../packages/turn-limit/test/stores/answers/attacked-stores.ts";
import { count } from "./format.ts";

const STORES = { sqlite: playOnSqlite, redis: playOnRedis };

const words = process.argv.slice(2);
const questions = Number(words.find((word) => /^[1-9]\d*$/.test(word)) ?? 10_000);
const named = words.filter((word) => !/^[1-9]\d*$/.test(word));
const unknown = named.find((word) => !Object.hasOwn(STORES, word));
if (unknown !== undefined)
  throw new Error(`There is no store ${unknown}, only ${Object.keys(STORES).join(", ")}`);

let faults = 0;
for (const [name, play] of Object.entries(STORES)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const start = performance.now();
  const { twice, lost, afterClosing, notKept, ...counts } = await play(questions);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const { answered, late, kills, stops, disturbances } = counts;
  console.log(`${name}, ${count(counts.questions)} questions, ${count(answered)} answered, ${seconds} s`);
  console.log(`  too late, and told so: ${count(late)}`);
  console.log(
    `  processes killed: ${kills}, stopped for a while: ${stops}; the server attacked: ${disturbances}`,
  );
  for (const [what, all] of Object.entries({ twice, lost, "after closing": afterClosing })) {
    console.log(`  ${what}: ${all.length}`);
    for (const shown of all) console.log(`    ${shown}`);
    faults += all.length;
  }
  console.log(`  acted on where they were given, and not kept: ${notKept.length}`);
}
process.exitCode = faults === 0 ? 0 : 1;
