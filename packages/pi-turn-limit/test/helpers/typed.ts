import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Stage } from "./stage.ts";

export const TURN_LIMIT = fileURLToPath(
  new URL("../../../turn-limit/dist/command/turn-limit.js", import.meta.url),
);

/** `turn-limit` as a person types it in another terminal, or later. */
export function typed(
  { sandbox }: Stage,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const options = { cwd: sandbox.root, env: { ...sandbox.env } };
    execFile(process.execPath, [TURN_LIMIT, ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    ).stdin?.end();
  });
}
