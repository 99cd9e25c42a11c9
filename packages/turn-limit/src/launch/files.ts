import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { objectIn, parsed } from "../gateway/protocols/parts-of-json.ts";
import type { Json } from "../gateway/protocols/protocol.ts";

/** The person's own files, to be read and never written: what they say decides where an agent's requests go. */
export interface PersonsFiles {
  /** The folder in which the agent is started. */
  readonly folder: string;
  /** The person's own folder. */
  readonly home: string;
  /** What the file says. `undefined`: it is not there, or cannot be read. */
  read(path: string): string | undefined;
  /** Is there a file or folder? */
  exists(path: string): boolean;
}

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

const STRING = /"(?:\\.|[^"\\])*"/.source;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//.source;

/** A JSON object in which comments and commas at the end are allowed. If there is none, it is empty. */
export function settingsIn(text: string | undefined): Json {
  const bare = (text ?? "")
    .replace(/^\uFEFF/, "")
    .replace(new RegExp(`(${STRING})|${COMMENT}`, "g"), "$1")
    .replace(new RegExp(`(${STRING})|,(?=\\s*[}\\]])`, "g"), "$1");
  return objectIn(parsed(bare));
}
