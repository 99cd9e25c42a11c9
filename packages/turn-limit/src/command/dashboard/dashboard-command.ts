import { messageOf } from "../../core/errors/message-of.ts";
import { parseArguments } from "../arguments.ts";
import { wrongInput } from "../command-error.ts";
import { closeWatch, resumeAnswered } from "../parked/resume-answered.ts";
import type { ParkedWatch } from "../parked/watch-parked.ts";
import { isOwnFile, openStore, shownAddress, storeAddress, storeProblem } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { Devices, devicesFolder } from "./devices.ts";
import { pairingText } from "./pairing-text.ts";
import { readPlace } from "./place.ts";
import { served } from "./served.ts";
import { serveDashboard } from "./server.ts";

export const DASHBOARD_HELP = `Usage: turn-limit dashboard [--store STORE] [--port PORT] [--url URL]

Serves a page that shows the runs and pools of a store live, and on which
questions are answered, both are extended, frozen and let go on, and runs are
stopped. A browser is paired with the code that is shown here; Enter shows another
one. Ctrl+C ends it. /metrics is for Prometheus: turn-limit devices --help.

  --store STORE  a file, or a redis:// or rediss:// address (default:
                 TURN_LIMIT_STORE, else Pi's: turn-limit.sqlite in
                 PI_CODING_AGENT_DIR, else in ~/.pi/agent)
  --port PORT    where it listens (default: 4747; 0: any free one)
  --url URL      the https:// address of what stands in front of it, such as
                 tailscale serve or a reverse proxy
  --host HOST    the address of this machine that it listens at (default:
                 127.0.0.1, which only this machine reaches)
  --insecure     allow plain http beyond this machine
  --resume       go on with runs that were parked on this machine, as soon as
                 somebody answers them with a yes, as "turn-limit resume --watch"
                 does. Without it that is so if the store is a file into which
                 only you can write
  --help         print this
`;

const OPTIONS = {
  store: "value",
  port: "value",
  host: "value",
  url: "value",
  insecure: "flag",
  resume: "flag",
} as const;

/** `turn-limit dashboard`: serves the page until it is ended. */
export async function dashboardCommand(args: readonly string[], around: Surroundings): Promise<undefined> {
  const { words, options } = parseArguments(args, OPTIONS);
  if (words[0] !== undefined) throw wrongInput(`${JSON.stringify(words[0])} is one word too many.`);
  const { store: given, resume, ...where } = options;
  const place = readPlace(where);
  const address = storeAddress(given, around.env);
  const devices = new Devices(devicesFolder(around.env));
  // Agents that draw from it may come later.
  const store = await openStore(address, true).catch((error) => {
    throw storeProblem(address, error);
  });
  try {
    await store.list().catch((error) => {
      throw storeProblem(address, error);
    });
    const code = devices.newCode();
    let watch: ParkedWatch | undefined;
    const dashboard = await served(
      () => serveDashboard(store, devices, place, (id) => watch?.has(id) ?? false),
      place,
    );
    if (resume ?? (await isOwnFile(address))) watch = resumeAnswered(store, address, around);
    await watch?.ready;
    const shown = place.url?.origin ?? dashboard.address;
    around.stdout.write(`The runs and pools in ${shownAddress(address)} are shown at ${shown}\n`);
    const tell = (code: string) => around.stdout.write(pairingText(shown, code, around.stdout.isTTY));
    // Whoever reads where it is may end it at once.
    const ended = untilEnded(around, () => tellAnother(devices, tell, around));
    tell(code);
    await ended;
    await dashboard.close();
    if (watch) await closeWatch(watch, around);
  } finally {
    await store.close();
  }
  return undefined;
}

// What is served goes on, also if nothing can be kept any more.
function tellAnother(devices: Devices, tell: (code: string) => void, { stderr }: Surroundings): void {
  try {
    tell(devices.newCode());
  } catch (error) {
    stderr.write(`turn-limit: ${messageOf(error)}\n`);
  }
}

function untilEnded({ stdin }: Surroundings, onEnter: () => void): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      if (stdin.isTTY) {
        stdin.off("data", onEnter);
        stdin.pause();
      }
      process.off("SIGINT", end);
      process.off("SIGTERM", end);
      resolve();
    };
    process.on("SIGINT", end);
    process.on("SIGTERM", end);
    if (!stdin.isTTY) return;
    stdin.on("data", onEnter);
    stdin.resume();
  });
}
