import type { PastRun } from "../core.ts";
import { readFiles } from "./history.ts";
import { findSessionFiles } from "./session-files.ts";

/** How many of the last session files to read, and how many bytes: a turn waits for this. */
const MOST = { files: 300, bytes: 32 * 2 ** 20 };

/** What the last runs of a person took, the oldest first. Reads their last session files, and never fails. */
export async function readPastRuns(folder: string): Promise<PastRun[]> {
  const history = await readFiles(folder, await findSessionFiles(folder, MOST));
  return history.prompts.flatMap(({ took, end }) => (end ? [{ took, end }] : []));
}
