/**
 * A member in a process of its own: `node member.ts <file> <id> <requests>`. It says when it is ready, waits for a line,
 * makes so many requests for one turn, one after the other, and says how many were granted.
 */
import { once } from "node:events";
import { sqliteStore } from "../../../src/pools/stores/sqlite/index.ts";
import { testMember } from "../../../src/testing/store-contract/test-member.ts";

const [file = "", id = "", requests = "0"] = process.argv.slice(2);
const store = sqliteStore(file, { timeout: 600_000 });
await store.list();
console.log("ready");
await once(process.stdin, "data");

const member = testMember(store, "shared", id);
let granted = 0;
for (let turn = 1; turn <= Number(requests); turn += 1) {
  const { kind } = await member.take({ want: { turns: 1 }, limits: { turns: 5_000 }, lease: 86_400_000 });
  if (kind === "granted") granted += 1;
}
await store.close();
console.log(granted);
process.stdin.destroy();
