import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

const PREFIX = "turn-limit-";

/** The folder in it that comes first in PATH. */
export const SHIMS = "bin";

/** Is it such a folder, of any run? A person's own may have a name that begins so, too. */
export function isFolderOfShims(path: string): boolean {
  return basename(path) === SHIMS && new RegExp(`^${PREFIX}\\w{6}$`).test(basename(dirname(path)));
}

/** The path of a socket may not be longer than about 100 characters, so a folder in a deep place is no use. */
const LONGEST = 70;

function temporaryFolder(): string {
  return process.platform !== "win32" && tmpdir().length > LONGEST ? "/tmp" : tmpdir();
}

/** A temporary folder that only the person can open. */
export class PrivateFolder {
  readonly path = mkdtempSync(join(temporaryFolder(), PREFIX));

  /** Writes a file that only the person can read. `isProgram`: it can be started. Returns its path. */
  write(name: string, text: string, isProgram = false): string {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: isProgram ? 0o700 : 0o600 });
    return path;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
