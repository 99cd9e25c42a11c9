import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A temporary folder that only the person can open. */
export class PrivateFolder {
  readonly path = mkdtempSync(join(tmpdir(), "turn-limit-"));

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
