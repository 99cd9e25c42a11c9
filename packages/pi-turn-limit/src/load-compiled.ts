/**
 * What Pi loads of the built extension. Node keeps compiled code for Pi, but without the functions that were called after a
 * module was loaded, and to compile those takes as long as all the rest of a start. So what the first run has called is kept
 * here, beside Node's own.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire, getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

type Extension = (pi: ExtensionAPI) => unknown;

const FILE = join(dirname(import.meta.filename), "extension.cjs");
const HEAD = "(function (exports, require, module, __filename, __dirname) {";
const TAIL = "\n})";
/** The checksum at the end: V8 itself does not check what it is given. */
const CHECKSUM_BYTES = 4;

const turnLimit = load();

export { turnLimit as default };

function load(): Extension {
  const require = createRequire(FILE);
  // Bun has no such folder. With source maps, Node has to know the module to name the lines of its sources.
  const folder = process.sourceMapsEnabled ? undefined : getCompileCacheDir?.();
  return folder === undefined ? require(FILE) : loadKept(folder, require);
}

function loadKept(folder: string, require: NodeJS.Require): Extension {
  const bytes = readFileSync(FILE);
  const file = join(folder, `turn-limit-${crc32(bytes).toString(16)}`);
  // The build writes nothing but ASCII, and as Latin-1 it is read fastest. Put together as bytes: V8 would copy texts again.
  const source = Buffer.concat([Buffer.from(HEAD), bytes, Buffer.from(TAIL)]).toString("latin1");
  const kept = readKept(file);
  const script = new Script(source, {
    filename: FILE,
    columnOffset: -HEAD.length,
    ...(kept && { cachedData: kept }),
  });
  const module: { exports: object } = { exports: {} };
  script.runInThisContext()(module.exports, require, module, FILE, dirname(FILE));
  const extension = module.exports as Extension;
  return kept && !script.cachedDataRejected ? extension : keptAfterRun(extension, script, file);
}

/** The same extension. What its first run has called is kept. */
function keptAfterRun(extension: Extension, script: Script, file: string): Extension {
  let isKept = false;
  const keep = () => {
    if (isKept) return;
    isKept = true;
    writeKept(file, script.createCachedData());
  };
  const keeping: Extension = (pi) => {
    const registered = extension(pi);
    pi.on("agent_settled", keep);
    return registered;
  };
  return Object.assign(keeping, extension);
}

function readKept(file: string): Buffer | undefined {
  try {
    const data = readFileSync(file);
    const code = data.subarray(0, -CHECKSUM_BYTES);
    return data.readUInt32LE(code.length) === crc32(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

// Another Pi may read it, or write it, at the same time. Where it cannot be written, every start compiles anew.
function writeKept(file: string, code: Buffer): void {
  try {
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32LE(crc32(code));
    writeFileSync(`${file}.${process.pid}`, Buffer.concat([code, checksum]));
    renameSync(`${file}.${process.pid}`, file);
  } catch {}
}
