/**
 * Uses a store until it is ended or the store fails: `node store-user.ts <file> <hold> [uid]`. After each line that it is
 * given it makes a request, and says what came of it. With a user id it becomes that user first.
 */
import { createInterface } from "node:readline";
import { sqliteStore } from "../../../src/pools/stores/sqlite/index.ts";

const [file = "", hold = "0", uid] = process.argv.slice(2);
if (uid) {
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
}
const store = sqliteStore(file);
let turn = 0;
for await (const _ of createInterface(process.stdin)) {
  turn += 1;
  const take = {
    pool: "shared",
    member: { id: "user", name: "x".repeat(2_000) },
    turn,
    settle: {},
    want: { turns: 1 },
    hold: { tokens: Number(hold) },
    limits: { turns: 1_000, tokens: 1_000 },
    lease: 60_000,
  };
  const said = await store.take(take).then(
    ({ kind }) => kind,
    (error: Error) => `${error.name}: ${error.message}`,
  );
  console.log(said);
}
