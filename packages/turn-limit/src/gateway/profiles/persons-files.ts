import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import type { PersonsFiles } from "./profile.ts";

/** The files of the person who starts an agent in this folder. */
export function personsFiles(folder: string): PersonsFiles {
  return {
    folder,
    home: homedir(),
    read: (path) => {
      try {
        return readFileSync(path, "utf8");
      } catch {
        return undefined;
      }
    },
    exists: existsSync,
  };
}
