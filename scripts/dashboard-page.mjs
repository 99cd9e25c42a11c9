// Makes the page of the dashboard from its sources: one script, its style, and what is drawn on the terminal to open it.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const core = join(import.meta.dirname, "..", "packages", "turn-limit");
const from = join(core, "src", "command", "dashboard");
const to = join(core, "dist", "command", "dashboard");
mkdirSync(join(to, "page"), { recursive: true });

await build({
  entryPoints: [join(from, "page", "app.ts"), join(from, "page", "style.css")],
  outdir: join(to, "page"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
});
// The library is inside, so that whoever installs the core installs nothing else.
await build({
  entryPoints: [join(from, "qr-code.ts")],
  outfile: join(to, "qr-code.js"),
  bundle: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node20",
});
for (const file of ["index.html", "icon.svg"]) copyFileSync(join(from, "page", file), join(to, "page", file));

const licences = ["preact", "htm", "uqr"].map((name) => {
  // Where the tools are found, which may be a folder above.
  const file = fileURLToPath(import.meta.resolve(name));
  const folder = `${sep}node_modules${sep}${name}${sep}`;
  const place = file.slice(0, file.lastIndexOf(folder) + folder.length);
  const text = readFileSync(join(place, "LICENSE"), "utf8");
  return `${name}\n\n${text.trim()}\n`;
});
writeFileSync(join(to, "licences.txt"), licences.join("\n\n"));
