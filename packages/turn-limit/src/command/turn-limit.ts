#!/usr/bin/env node
import { runCommand } from "./dispatch.ts";
import { openStore } from "./stores.ts";

// The reader of the output may close it early: `turn-limit pools | head -3`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const { stdin, stdout, stderr, env } = process;
// The connections of a store do not keep a process alive.
const alive = setInterval(() => {}, 60_000);
process.exitCode = await runCommand(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  env,
  openStore,
});
clearInterval(alive);
