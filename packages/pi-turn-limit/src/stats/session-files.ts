import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";

/** One of Pi's session files. */
export interface SessionFile {
  path: string;
  bytes: number;
}

/** Where Pi keeps its sessions: `PI_CODING_AGENT_SESSION_DIR`, else `sessions` in the agent folder. */
export function sessionsFolder(agentFolder: string): string {
  const folder = process.env.PI_CODING_AGENT_SESSION_DIR;
  return folder ? folder.replace(/^~(?=$|[/\\])/, homedir()) : join(agentFolder, "sessions");
}

/** The session files of a folder and all folders in it, oldest first: Pi's file names begin with the time. */
export async function findSessionFiles(folder: string): Promise<SessionFile[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files: SessionFile[] = [];
  for (const name of names.filter((name) => name.endsWith(".jsonl"))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile()) files.push({ path, bytes: found.size });
  }
  return files.sort((one, other) => (basename(one.path) < basename(other.path) ? -1 : 1));
}
