import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { bash, calls, type Script, type ToolCall } from "@turn-limit/rig";
import type { Stage } from "./stage.ts";

const file = "executed.txt";

/** A bash call that leaves its name in the project if it is run. */
export function leaves(name: string): ToolCall {
  return bash(`echo ${name} >> ${file}`);
}

/** Never ends by itself: `width` calls in every answer, which leave `<request>.<call>`. */
export function leavesWithoutEnd(width = 1): Script {
  return ({ index }) => calls(...Array.from({ length: width }, (_, call) => leaves(`${index}.${call + 1}`)));
}

/** The names that the calls have left, sorted as the model made the calls. */
export async function executed(stage: Stage): Promise<string[]> {
  const text = await readFile(join(stage.sandbox.projectDir, file), "utf8").catch(() => "");
  const names = text.split("\n").filter((line) => line !== "");
  return names.sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
}
