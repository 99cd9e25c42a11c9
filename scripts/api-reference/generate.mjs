// Writes the API reference of the core to docs/api. Fails when a doc comment links to something that is not there.
import { join, relative } from "node:path";
import { writeReference } from "./write-reference.mjs";

const root = join(import.meta.dirname, "..", "..");
const out = join(root, "docs", "api");

process.exitCode = (await writeReference(join(root, "packages", "turn-limit"), out)) ? 0 : 1;
if (process.exitCode === 0) console.log(`Wrote ${relative(process.cwd(), join(out, "index.html"))}`);
