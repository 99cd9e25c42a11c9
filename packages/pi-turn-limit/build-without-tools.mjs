// Builds the extension with nothing but Node: for an install that has no development tools, as Pi makes of a git address.
// It knows the imports and exports as this repository writes them, each at the beginning of a line. What it does not know is
// left over, and then the result does not load.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { dirname, join, relative } from "node:path";

// It is told once, at an install, and says nothing to whoever reads it there.
process.removeAllListeners("warning");

const folder = import.meta.dirname;
const dist = join(folder, "dist");

const IMPORT = /^import\s*\{([^}]*)\}\s*from\s*"([^"]+)";/gm;
const EXPORT_FROM = /^export\s*\{([^}]*)\}\s*from\s*"([^"]+)";/gm;
const EXPORT_LIST = /^export\s*\{([^}]*)\};/gm;
const EXPORT_DEFAULT = /^export default (?=function (\w+))/gm;
const EXPORT = /^export\s+(?=(?:async\s+)?(?:function\*?|class|const)\s+([\w$]+))/gm;
const LOADED_LATER = /\bimport\("([^"]+)"\)/g;

/**
 * What a list in braces names: `a, b as c`.
 *
 * @param {string} list
 * @returns {[name: string, as: string][]}
 */
function namesIn(list) {
  const names = list.split(",").map((name) => name.trim().split(/\s+as\s+/));
  return names.flatMap(([name, as]) => (name ? [[name, as ?? name]] : []));
}

/**
 * A module as a function. It says first what it exports, so that modules may import each other.
 *
 * @param {string} path
 * @returns {{ code: string, imported: string[] }}
 */
function moduleAt(path) {
  /** @type {string[]} */
  const imported = [];
  /** @type {Map<string, string>} */
  const exported = new Map();
  /** @param {string} from */
  const module = (from) => {
    if (!from.startsWith(".")) return `require(${JSON.stringify(from)})`;
    const file = join(dirname(path), from);
    imported.push(file);
    return `$module(${JSON.stringify(nameOf(file))})`;
  };
  const code = lean(stripTypeScriptTypes(readFileSync(path, "utf8")))
    .replace(IMPORT, (_, list, from) => {
      const names = namesIn(list).map(([name, as]) => `${name}: ${as}`);
      return `const { ${names.join(", ")} } = ${module(from)};`;
    })
    .replace(EXPORT_FROM, (_, list, from) => {
      for (const [name, as] of namesIn(list)) exported.set(as, `${module(from)}.${name}`);
      return "";
    })
    .replace(EXPORT_LIST, (_, list) => {
      for (const [name, as] of namesIn(list)) exported.set(as, name);
      return "";
    })
    .replace(EXPORT_DEFAULT, (_, name) => {
      exported.set("default", name);
      return "";
    })
    .replace(EXPORT, (_, name) => {
      exported.set(name, name);
      return "";
    })
    .replace(LOADED_LATER, (_, from) => `Promise.resolve().then(() => ${module(from)})`)
    .replaceAll("import.meta.filename", "__filename");
  const getters = [...exported].map(([as, value]) => `get ${JSON.stringify(as)}() { return ${value}; }`);
  return { code: `function ($exports) {\n$exports({ ${getters.join(", ")} });\n${code}\n}`, imported };
}

/**
 * The code without the lines that are comments or blank, and without indents: Pi reads it at every start. A text of several
 * lines stays as it is.
 *
 * @param {string} code
 */
function lean(code) {
  let isText = false;
  let isComment = false;
  return code
    .split("\n")
    .flatMap((line) => {
      const began = isText;
      if (!isText && /^\s*\/\*/.test(line)) isComment = true;
      if (isComment) {
        isComment = !line.includes("*/");
        return [];
      }
      if (!isText && /^\s*(\/\/.*)?$/.test(line)) return [];
      if ((line.match(/(?<!\\)`/g) ?? []).length % 2 === 1) isText = !isText;
      return began ? line : line.trimStart();
    })
    .join("\n");
}

/** @param {string} path */
function nameOf(path) {
  return relative(folder, path).replaceAll("\\", "/");
}

/**
 * Writes a module and all that it imports into one file, and returns their names.
 *
 * @param {string} entry
 * @param {string} name
 * @returns {string[]}
 */
function build(entry, name) {
  const start = join(folder, entry);
  const paths = new Set([start]); // which grows as it is gone through
  /** @type {string[]} */
  const modules = [];
  for (const path of paths) {
    const { code, imported } = moduleAt(path);
    modules.push(`${JSON.stringify(nameOf(path))}: ${code}`);
    for (const other of imported) paths.add(other);
  }
  const file = join(dist, name);
  const code = `"use strict";
const $loaded = {};
function $module(name) {
  if (!(name in $loaded)) $modules[name]((exported) => { $loaded[name] = exported; });
  return $loaded[name];
}
const $modules = {
${modules.join(",\n")}
};
const $entry = $module(${JSON.stringify(nameOf(start))});
module.exports = Object.assign($entry.default, $entry);
`;
  // As the other build does it: only ASCII, which can be read fastest. Node leaves wide spaces where a type was.
  writeFileSync(
    file,
    code.replace(/[^\0-\x7f]/g, (character) => (/\s/.test(character) ? " " : escaped(character))),
  );
  return [...paths].map(nameOf);
}

/** @param {string} character */
function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
try {
  const sources = build("src/turn-limit.ts", "extension.cjs");
  build("src/load-compiled.ts", "turn-limit.cjs");
  const extension = createRequire(import.meta.url)("./dist/turn-limit.cjs");
  if (typeof extension !== "function") throw new Error("What was built is no extension.");
  writeFileSync(join(dist, "sources.json"), JSON.stringify(sources));
} catch (error) {
  // What there is of it must not be taken for a build.
  rmSync(dist, { recursive: true, force: true });
  throw error;
}
