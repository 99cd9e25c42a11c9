/** Makes a long run of one subject in Pi, for perf to count, after one to warm up. */
import { openFauxSession } from "./faux-session.ts";
import { counted } from "./instructions.ts";
import { extensionsFrom, openedAs, turns } from "./pi-subjects.ts";

const [subject = "without", folder = "", builds = "{}"] = process.argv.slice(2);
const extensions = extensionsFrom(JSON.parse(builds))[subject] ?? [];
await run((work) => work());
await run(counted);
process.exit(0);

async function run(within: (work: () => Promise<void>) => Promise<void>): Promise<void> {
  const open = () => openFauxSession(folder, turns, extensions);
  const { session, requests } = await openedAs(subject, folder, open);
  await within(() => session.prompt("Go."));
  session.dispose();
  if (requests() !== turns) throw new Error(`The run took ${requests()} turns instead of ${turns}`);
}
