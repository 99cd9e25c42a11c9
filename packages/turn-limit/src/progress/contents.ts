import { createHash } from "node:crypto";
import { lstat, open, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Files above this size are told by it, and by how they begin and end. */
const READ_WHOLE = 8 * 2 ** 20;
const PART = 64 * 2 ** 10;

interface Known {
  readonly stamp: string;
  readonly id: string;
}

/** What the contents of files are, as short ids. A file that was not written to since is not read again. */
export class Contents {
  readonly #folder: string;
  readonly #known = new Map<string, Known>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What is in each of these files. One that is not there, or cannot be read, is left out. */
  async of(paths: Iterable<string>, signal: AbortSignal): Promise<Map<string, string>> {
    const contents = new Map<string, string>();
    for (const path of paths) {
      signal.throwIfAborted();
      const id = await this.#idOf(path).catch(() => undefined);
      if (id !== undefined) contents.set(path, id);
    }
    return contents;
  }

  async #idOf(path: string): Promise<string | undefined> {
    const file = join(this.#folder, path);
    const stat = await lstat(file, { bigint: true });
    const stamp = [stat.size, stat.mtimeNs, stat.ctimeNs, stat.ino].join();
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.id;
    const hash = createHash("sha256");
    if (stat.isSymbolicLink()) hash.update(`link ${await readlink(file)}`);
    else if (!stat.isFile()) return undefined;
    else if (stat.size <= READ_WHOLE) hash.update(await readFile(file));
    else hash.update(`${stat.size} `).update(await bothEnds(file, Number(stat.size)));
    const id = hash.digest("base64");
    this.#known.set(path, { stamp, id });
    return id;
  }
}

async function bothEnds(file: string, size: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    const ends = Buffer.alloc(2 * PART);
    await handle.read(ends, 0, PART, 0);
    await handle.read(ends, PART, PART, size - PART);
    return ends;
  } finally {
    await handle.close();
  }
}
