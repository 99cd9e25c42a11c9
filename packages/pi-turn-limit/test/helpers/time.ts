import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { patience } from "@turn-limit/rig";
import type { Stage } from "./stage.ts";

/** A time limit that no test reaches by itself, however slow the machine is. */
export const fourMinutes = ["--max-time", "4m"];

/** The fixture with which a Pi has its clock in the test's hand. */
export const clock = "clock-in-hand";

/**
 * Lets so many milliseconds pass in the Pi of this stage, at once: more than four minutes, and less than the five after which
 * Pi gives up a request, unless the test says how many.
 */
export async function passTime({ sandbox }: Stage, ms = 270_000): Promise<void> {
  const file = join(sandbox.projectDir, "clock");
  await writeFile(`${file}.new`, `${ms}`);
  await rename(`${file}.new`, file);
  for (const until = Date.now() + patience; existsSync(file); await pause(20))
    if (Date.now() > until) throw new Error("There is no Pi whose time could pass.");
}
