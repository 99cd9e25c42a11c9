import type { PiHost } from "./hosts.ts";
import type { Sandbox } from "./sandbox.ts";

/** Which Pi to run, where, and with what. */
export interface PiOptions {
  host: PiHost;
  sandbox: Sandbox;
  /** Further arguments, such as `-e <extension>`. */
  args?: readonly string[];
  /** Variables in addition to those of the sandbox. */
  env?: Record<string, string>;
  /** Writes a session file, as Pi does for people. Off by default. */
  session?: boolean;
}

/** A Pi command line, ready to be spawned. */
export interface PiCommand {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

/** Puts the command line together that every driver starts. */
export function piCommand({ host, sandbox, args = [], env = {}, session = false }: PiOptions): PiCommand {
  return {
    file: process.execPath,
    args: [
      host.cli,
      ...["--provider", "scripted", "--model", "scripted-model"],
      ...(session ? [] : ["--no-session"]),
      ...sandbox.trustArgs,
      ...args,
    ],
    cwd: sandbox.projectDir,
    env: { ...sandbox.env, ...env },
  };
}
