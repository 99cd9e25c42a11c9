import { spawn } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { countOf } from "../../core/text/number-text.ts";
import { oneLine } from "../../core/text/text-width.ts";
import type { NotifySettings } from "../../notify/settings.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { Notices } from "../run/notices.ts";
import { requireUsable, shownAddress, storeProblem } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { askElsewhere } from "./ask-elsewhere.ts";
import { type AskParked, ParkedWatch } from "./watch-parked.ts";

const COMMAND = fileURLToPath(new URL(`../turn-limit${extname(import.meta.url)}`, import.meta.url));

/** Goes on with the parked runs of a store as they are answered, until the process is to end. `notify`: where it asks about them. */
export async function watchAnswers(
  address: string,
  notify: NotifySettings | undefined,
  around: Surroundings,
): Promise<void> {
  // The first run may be parked later, and others are perhaps there already: the store has to be usable now.
  const store = await usableStore(address, around);
  try {
    const ask = notify && askElsewhere(store, notify, around.env, new Notices(around.stderr));
    const watch = resumeAnswered(store, address, around, ask);
    const ended = untilSignal();
    around.stderr.write(
      `turn-limit: parked runs in ${shownAddress(address)} go on here when they are answered with a yes.\n`,
    );
    await ended;
    await closeWatch(watch, around);
  } finally {
    await store.close();
  }
}

async function usableStore(address: string, { openStore }: Pick<Surroundings, "openStore">): Promise<Store> {
  let store: Store | undefined;
  try {
    store = await openStore(address, true);
    await requireUsable(store);
    return store;
  } catch (error) {
    await store?.close();
    throw storeProblem(address, error);
  }
}

/** Goes on with the parked runs of a store as they are answered. What the agents print is printed here. */
export function resumeAnswered(
  store: Store,
  address: string,
  { env, stderr }: Pick<Surroundings, "env" | "stderr">,
  ask?: AskParked,
): ParkedWatch {
  // A password in the address is for no command line.
  const isOpen = shownAddress(address) === address;
  const [inLine, inEnv] = isOpen ? [["--store", address], {}] : [[], { TURN_LIMIT_STORE: address }];
  return new ParkedWatch({
    store,
    ask,
    tell: (message) => stderr.write(`turn-limit: ${oneLine(message)}\n`),
    resume: async (id, question) => {
      // Without this terminal, and its keys: at the next limit it is parked again, or asks elsewhere.
      const child = spawn(process.execPath, [COMMAND, "resume", id, "--question", question, ...inLine], {
        ...{ env: { ...env, ...inEnv }, detached: true },
        stdio: ["ignore", "inherit", "inherit"],
      });
      await once(child, "close");
    },
  });
}

const ENDS = ["SIGINT", "SIGTERM"] as const;

/** Resolves when the process is to end. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      for (const signal of ENDS) process.off(signal, end);
      resolve();
    };
    for (const signal of ENDS) process.on(signal, end);
  });
}

/** Ends the watch. Agents that go on are waited for; after a second signal they go on alone. */
export async function closeWatch(
  watch: ParkedWatch,
  { stderr }: Pick<Surroundings, "stderr">,
): Promise<void> {
  if (watch.working > 0)
    stderr.write(
      `turn-limit: waiting for ${countOf(watch.working, "run")} to end. Ctrl+C leaves them to themselves.\n`,
    );
  await watch.close();
}
