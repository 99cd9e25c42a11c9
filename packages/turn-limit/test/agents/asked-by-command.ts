// A command for --ask, as a person would connect a phone: node asked-by-command.ts LOG. It says yes after a minute.
import { appendFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

const [log = ""] = process.argv.slice(2);
const question = JSON.parse(await text(process.stdin));
const asked = Date.now();
await pause(60_000);
appendFileSync(log, `${JSON.stringify({ question, asked, replied: Date.now() })}\n`);
console.log("yes");
