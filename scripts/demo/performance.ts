import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelRequest, runPrint } from "@turn-limit/rig";
import { setStage } from "./stage.ts";
import { prompt } from "./story.ts";

/** How the story went where there was no person to ask. */
export interface Performance {
  host: string;
  code: number | null;
  /** What Pi gave as the answer. */
  answer: string;
  /** What Pi wrote besides the answer. */
  said: string;
  /** What reached the model's server. */
  requests: readonly ModelRequest[];
  /** How many tool calls were run, by their results in the session. */
  callsRun: number;
  /** What the extension wrote into the session about the run. */
  outcome: string;
  turns: number;
}

interface Entry {
  customType?: string;
  data?: { outcome: string; turns: number };
  message?: { role: string; isError?: boolean };
}

/** Tells the story to its end with these limits, and reports how it went. */
export async function perform(...limits: string[]): Promise<Performance> {
  await using stage = await setStage(0, limits);
  const sessions = join(stage.sandbox.root, "sessions");
  const args = [...(stage.pi.args ?? []), "--session-dir", sessions];
  const { code, stdout, stderr } = await runPrint({ ...stage.pi, args, session: true, prompt });
  const entries = await sessionEntries(sessions);
  const outcome = entries.findLast(({ customType }) => customType === "turn-limit:outcome");
  return {
    host: stage.pi.host.name,
    code,
    answer: stdout.trim(),
    said: stderr.trim(),
    requests: stage.model.requests,
    callsRun: entries.filter(({ message }) => message?.role === "toolResult" && !message.isError).length,
    ...(outcome?.data ?? { outcome: "none recorded", turns: 0 }),
  };
}

async function sessionEntries(sessions: string): Promise<Entry[]> {
  const files = (await readdir(sessions, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
  const texts = await Promise.all(files.map((name) => readFile(join(sessions, name), "utf8")));
  const lines = texts.join("\n").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}
