/** Writes the JSON schema of Pi's settings from the table of limits. A test fails while the file differs from it. */
import { writeFileSync } from "node:fs";
import { settingsSchema } from "../packages/pi-turn-limit/src/settings/schema.ts";

const file = new URL("../packages/pi-turn-limit/turn-limit.schema.json", import.meta.url);
writeFileSync(file, `${JSON.stringify(settingsSchema(), null, 2)}\n`);
