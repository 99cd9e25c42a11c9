import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SETTINGS_FILE = "turn-limit.json";

// Pi exports both folders, but an extension that imports Pi at run time makes Pi load a second copy of
// itself, which is slow and fails on some versions.

/** Pi's agent folder: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
export function agentFolder(): string {
  return folderIn("PI_CODING_AGENT_DIR") ?? join(homedir(), ".pi", "agent");
}

/** Where Pi keeps its sessions: `PI_CODING_AGENT_SESSION_DIR`, else `sessions` in the agent folder. */
export function sessionsFolder(): string {
  return folderIn("PI_CODING_AGENT_SESSION_DIR") ?? join(agentFolder(), "sessions");
}

// As Pi reads it: a path, or its address.
function folderIn(variable: string): string | undefined {
  const folder = process.env[variable]?.replace(/^~(?=$|[/\\])/, homedir()) || undefined;
  return folder?.startsWith("file://") ? fileURLToPath(folder) : folder;
}

/** The settings of the person, for every project. */
export function userSettingsFile(): string {
  return join(agentFolder(), SETTINGS_FILE);
}

/** What the person's sessions have used, over all of them. */
export function storeFile(): string {
  return join(agentFolder(), "turn-limit.sqlite");
}

/** The option with which a `turn-limit` command finds this store. */
export function storeOption(file: string): string {
  if (file === join(homedir(), ".pi", "agent", "turn-limit.sqlite")) return "";
  return ` --store ${/^[\w./:-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`}`;
}

/** A folder as people read it: `~/site`. */
export function inHome(folder: string): string {
  const home = homedir();
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}

/** The settings of a project. */
export function projectSettingsFile(cwd: string): string {
  return join(cwd, ".pi", SETTINGS_FILE);
}
