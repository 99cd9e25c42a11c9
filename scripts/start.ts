/**
 * The turn limit at work, with the real Pi and a scripted model: no key, no network, and nothing
 * written outside a temporary folder that goes away at the end.
 */
import { demoInPrint } from "./demo/in-print.ts";
import { demoOnTerminal } from "./demo/on-terminal.ts";

// A signal ends Pi. This process stays until it has cleaned up after it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

const someoneIsThere = process.stdin.isTTY && process.stdout.isTTY;
process.exitCode = await (someoneIsThere ? demoOnTerminal() : demoInPrint());
