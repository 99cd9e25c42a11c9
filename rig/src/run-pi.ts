import { spawn } from "node:child_process";
import { once } from "node:events";
import { collect } from "./collect.ts";
import { endProcess } from "./end-process.ts";
import { jsonLines, type PiEvent } from "./json-lines.ts";
import { type PiOptions, piCommand } from "./pi-command.ts";
import { patience, within } from "./within.ts";

/** How to run Pi to its end. */
export interface RunOptions extends PiOptions {
  stdin?: string;
  timeoutMs?: number;
}

/** A run with the prompt, or the prompts one after the other, that Pi is given. */
export interface PromptRunOptions extends RunOptions {
  prompt: string | readonly string[];
}

/** How a Pi ended. */
export interface PiResult {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The events of JSON mode; empty in print mode. */
  events: PiEvent[];
}

/**
 * Runs Pi to its end with the arguments given, and fails if it does not end in time.
 *
 * @example
 * const { stdout } = await runPi({ host, sandbox, args: ["--help"] });
 */
export async function runPi(options: RunOptions): Promise<PiResult> {
  const { file, args, cwd, env } = piCommand(options);
  const child = spawn(file, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  // It is not a failure if Pi ends before it has read its input.
  child.stdin.on("error", () => {});
  child.stdin.end(options.stdin ?? "");
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  try {
    const [code] = await within(
      once(child, "close"),
      options.timeoutMs ?? patience,
      () => `${options.host.name} did not end and was killed; stdout: ${stdout()}; stderr: ${stderr()}`,
    );
    return { code, stdout: stdout(), stderr: stderr(), events: [] };
  } finally {
    await endProcess(child);
  }
}

/** Runs a prompt in print mode: `pi -p "…"`. */
export function runPrint(options: PromptRunOptions): Promise<PiResult> {
  return runPi({ ...options, args: [...(options.args ?? []), "-p", ...[options.prompt].flat()] });
}

/** Runs a prompt in JSON mode and reads its events: `pi --mode json "…"`. */
export async function runJson(options: PromptRunOptions): Promise<PiResult> {
  const args = [...(options.args ?? []), "--mode", "json", ...[options.prompt].flat()];
  const result = await runPi({ ...options, args });
  jsonLines((event) => result.events.push(event))(Buffer.from(result.stdout));
  return result;
}
