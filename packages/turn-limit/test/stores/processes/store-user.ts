/**
 * Uses a store until it is ended or the store fails: `node store-user.ts <file> <hold> [uid]`. After each line that it is
 * given it makes a request, and says what came of it. With a user id it becomes that user first.
 */
import { createInterface } from "node:readline";
import { sqliteStore } from "../../../src/pools/stores/sqlite/index.ts";
import { testMember } from "../../../src/testing/store-contract/test-member.ts";

const [file = "", hold = "0", uid] = process.argv.slice(2);
if (uid) {
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
}
const store = sqliteStore(file);
const user = testMember(store, "shared", "user", "x".repeat(2_000));
for await (const _ of createInterface(process.stdin)) {
  const [want, holds] = [{ turns: 1 }, { tokens: Number(hold) }];
  const said = await user.take({ want, hold: holds, limits: { turns: 1_000, tokens: 1_000 } }).then(
    ({ kind }) => kind,
    (error: Error) => `${error.name}: ${error.message}`,
  );
  console.log(said);
}
