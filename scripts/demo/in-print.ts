import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { runPrint } from "@turn-limit/rig";
import { setStage } from "./stage.ts";
import { limit, prompt } from "./story.ts";

interface OutcomeEntry {
  customType?: string;
  data?: { outcome: string; turns: number };
}

/** Tells the same story where nobody can be asked, and gives 0 if it went as it must. */
export async function demoInPrint(): Promise<number> {
  await using stage = await setStage(0);
  const sessions = join(stage.sandbox.root, "sessions");
  const args = [...(stage.pi.args ?? []), "--session-dir", sessions];
  const { code, stderr } = await runPrint({ ...stage.pi, args, session: true, prompt });
  const { outcome, turns } = await recordedOutcome(sessions);
  const requests = stage.model.requests.length;
  const said = stderr.trim();

  console.log(
    `${stage.pi.host.name} with the extension, a scripted model that never finishes, and no terminal:`,
  );
  console.log(`  limit              ${limit} turns`);
  console.log(`  turns taken        ${turns}`);
  console.log(`  requests received  ${requests}, counted by the model's server`);
  console.log(`  Pi said            ${said}`);
  console.log(`  Pi's exit code     ${code}`);
  console.log(
    `  outcome            ${outcome}${outcome === "stopped" ? ", because nobody could be asked" : ""}`,
  );

  const asItMust =
    turns === limit &&
    requests === limit &&
    outcome === "stopped" &&
    code === 1 &&
    said.includes(`Turn limit reached (${limit}/${limit})`);
  console.log(
    asItMust
      ? "As it must be. On a terminal, `npm start` opens Pi itself and asks you."
      : "That is NOT as it must be.",
  );
  return asItMust ? 0 : 1;
}

/** What the extension wrote into the session about the run. */
async function recordedOutcome(sessions: string): Promise<{ outcome: string; turns: number }> {
  const files = (await readdir(sessions, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
  const texts = await Promise.all(files.map((name) => readFile(join(sessions, name), "utf8")));
  const entries: OutcomeEntry[] = texts
    .join("\n")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const last = entries.findLast(({ customType }) => customType === "turn-limit:outcome");
  return last?.data ?? { outcome: "none recorded", turns: 0 };
}
