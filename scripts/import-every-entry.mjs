// Imports every entry of the built core on the Node that runs this file. The tests run on the Node that the
// install brings; this shows that the core also loads on the oldest one it supports.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const manifest = new URL("../packages/turn-limit/package.json", import.meta.url);
const { name, exports } = JSON.parse(readFileSync(manifest, "utf8"));

for (const [entry, target] of Object.entries(exports)) {
  if (target.types) await import(join(name, entry));
}
console.log(`Every entry of ${name} loads on Node ${process.versions.node}`);
