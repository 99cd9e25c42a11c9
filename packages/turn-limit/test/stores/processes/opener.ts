/**
 * Opens one store after the other: `node opener.ts <id>`. For each line, the path of a file, it takes one turn and says what
 * came of it.
 */
import { createInterface } from "node:readline";
import { sqliteStore } from "../../../src/pools/stores/sqlite/index.ts";

const [id = ""] = process.argv.slice(2);
console.log("ready");
for await (const file of createInterface(process.stdin)) {
  const store = sqliteStore(file, { timeout: 600_000 });
  const said = await store
    .take({
      pool: "shared",
      member: { id, name: id },
      ...{ incarnation: 1, turn: 1, answered: 0, heard: 0 },
      used: {},
      want: { turns: 1 },
      limits: { turns: 24 },
      lease: 86_400_000,
    })
    .then(
      ({ kind }) => kind,
      (error: Error) => error.message.replaceAll(file, "the file"),
    );
  console.log(said);
  await store.close();
}
