// Builds the extension with nothing but Node: for an install that has no development tools, as Pi makes of a git address.
// It knows the imports and exports as this repository writes them, each at the beginning of a line. What it does not know is
// left over, and then the result does not load.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { dirname, join, relative } from "node:path";

// It is told once, at an install, and says nothing to whoever reads it there.
process.removeAllListeners("warning");

const folder = import.meta.dirname;
const dist = join(folder, "dist");
/** Where it is built. Another Pi may be loading what there is, or be building, too. */
const made = join(folder, `dist-${process.pid}`);

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
 * @returns {{ code: string, imported: string[], later: string[] }}
 */
function moduleAt(path) {
  /** @type {string[]} */
  const imported = [];
  /** @type {string[]} */
  const later = [];
  /** @type {Map<string, string>} */
  const exported = new Map();
  /** @param {string} from */
  const module = (from, files = imported) => {
    if (!from.startsWith(".")) return `require(${JSON.stringify(from)})`;
    const file = join(dirname(path), from);
    files.push(file);
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
    .replace(LOADED_LATER, (_, from) => `Promise.resolve().then(() => ${module(from, later)})`)
    .replaceAll("import.meta.filename", "__filename");
  const getters = [...exported].map(([as, value]) => `get ${JSON.stringify(as)}() { return ${value}; }`);
  return { code: `function ($exports) {\n$exports({ ${getters.join(", ")} });\n${code}\n}`, imported, later };
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
 * Writes a module and all that it imports into one file, and what is loaded only when it is asked for into a file beside it.
 * Returns their names.
 *
 * @param {string} entry
 * @param {string} name
 * @returns {string[]}
 */
function build(entry, name) {
  const start = join(folder, entry);
  const first = modulesFrom([start], new Set());
  const known = new Set(first.keys());
  const later = modulesFrom(
    [...first.values()].flatMap((module) => module.later),
    known,
  );
  const beside = name.replace(".cjs", "-later.cjs");
  write(
    name,
    `"use strict";
const $loaded = {};
function $module(name) {
  if (!(name in $modules)) Object.assign($modules, require("./${beside}")($module));
  if (!(name in $loaded)) $modules[name]((exported) => { $loaded[name] = exported; });
  return $loaded[name];
}
const $modules = ${textOf(first)};
const $entry = $module(${JSON.stringify(nameOf(start))});
module.exports = Object.assign($entry.default, $entry);
`,
  );
  if (later.size > 0) write(beside, `"use strict";\nmodule.exports = ($module) => (${textOf(later)});\n`);
  return [...first.keys(), ...later.keys()].map(nameOf);
}

/** @typedef {Map<string, ReturnType<typeof moduleAt>>} Modules */

/**
 * Modules with all that they import, without what is known. Of those that are loaded later, with what they load.
 *
 * @param {string[]} starts
 * @param {Set<string>} known
 * @returns {Modules}
 */
function modulesFrom(starts, known) {
  /** @type {Modules} */
  const modules = new Map();
  const paths = new Set(starts); // which grows as it is gone through
  for (const path of paths) {
    if (known.has(path)) continue;
    const module = moduleAt(path);
    modules.set(path, module);
    const isLater = known.size > 0;
    for (const other of isLater ? [...module.imported, ...module.later] : module.imported) paths.add(other);
  }
  return modules;
}

/** @param {Modules} modules */
function textOf(modules) {
  const texts = [...modules].map(([path, { code }]) => `${JSON.stringify(nameOf(path))}: ${code}`);
  return `{\n${texts.join(",\n")}\n}`;
}

/** @type {(name: string, code: string) => void} */
function write(name, code) {
  // As the other build does it: only ASCII, which can be read fastest. Node leaves wide spaces where a type was.
  writeFileSync(
    join(made, name),
    code.replace(/[^\0-\x7f]/g, (character) => (/\s/.test(character) ? " " : escaped(character))),
  );
}

/** @param {string} character */
function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** What was made takes the place of what was there, unless another one has just put its own there. */
function putInPlace() {
  rmSync(dist, { recursive: true, force: true });
  try {
    renameSync(made, dist);
  } catch (error) {
    if (!existsSync(join(dist, "sources.json"))) throw error;
  }
}

mkdirSync(made);
try {
  const sources = build("src/turn-limit.ts", "extension.cjs");
  build("src/load-compiled.ts", "turn-limit.cjs");
  const extension = createRequire(import.meta.url)(join(made, "turn-limit.cjs"));
  if (typeof extension !== "function") throw new Error("What was built is no extension.");
  writeFileSync(join(made, "sources.json"), JSON.stringify(sources));
  putInPlace();
} finally {
  rmSync(made, { recursive: true, force: true });
}
