import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Stage } from "./stage.ts";
import type { PiMessage } from "./unanswered.ts";

/** What the `records-limit-events` fixture heard on the bus under this name, in order. */
export async function recorded(stage: Stage, event: string): Promise<unknown[]> {
  const records = await readLines(join(stage.sandbox.projectDir, "turn-limit-events.jsonl"));
  return records.filter((record) => record.event === event).map((record) => record.data);
}

/** The custom entries of this type in the session files that Pi has kept. */
export async function keptEntries(stage: Stage, customType: string): Promise<unknown[]> {
  const files = await sessionFiles(stage);
  const entries = (await Promise.all(files.map(readLines))).flat();
  return entries.filter((entry) => entry.customType === customType).map((entry) => entry.data);
}

/** The messages in the session files that Pi has kept, in order. */
export async function keptMessages(stage: Stage): Promise<PiMessage[]> {
  const files = await sessionFiles(stage);
  const entries = (await Promise.all(files.map(readLines))).flat();
  return entries.filter(({ type }) => type === "message").map(({ message }) => message as PiMessage);
}

/** The session files that Pi has kept. */
export async function sessionFiles(stage: Stage): Promise<string[]> {
  const folder = join(stage.sandbox.agentDir, "sessions");
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
}

async function readLines(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
