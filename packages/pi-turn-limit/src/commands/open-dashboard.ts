import type { Store } from "turn-limit";
import {
  Devices,
  devicesFolder,
  HelpRequested,
  pairingText,
  parseArguments,
  readPlace,
  serveDashboard,
  served,
} from "../core-dashboard.ts";

/** The dashboard of a store, served by Pi itself. */
export interface OpenDashboard {
  /** Where browsers find it. */
  readonly address: string;
  /** How a browser is paired, with a new code, and with a picture of it if that fits into this number of columns. */
  pairing(columns: number): string;
  close(): Promise<void>;
}

/** The options of `turn-limit dashboard` that say where it listens. */
const OPTIONS = { port: "value", url: "value", host: "value", insecure: "flag" } as const;
const USAGE = "Use /dashboard, with --port PORT and --url URL where that is wanted, or /dashboard close.";

/** A line of the picture, and what Pi leaves free beside it. */
const PICTURE = /^[█▀▄ ]+$/;
const MARGIN = 2;

/** Serves the dashboard. `typed`: where. Rejects with what the person is to read. */
export async function openDashboard(store: Store, typed: readonly string[]): Promise<OpenDashboard> {
  const given = optionsIn(typed);
  const place = readPlace(given);
  const devices = new Devices(devicesFolder(process.env));
  // Another Pi may show its own there, on which this session is seen, too. Who names a port wants that one.
  const anywhere = (error: Error) => {
    if (given.port !== undefined) throw error;
    return served(() => serveDashboard(store, devices, { ...place, port: 0 }), place);
  };
  await store.list();
  const dashboard = await served(() => serveDashboard(store, devices, place), place).catch(anywhere);
  const address = place.url?.origin ?? dashboard.address;
  return {
    address,
    pairing: (columns) => {
      const code = devices.newCode();
      const lines = pairingText(address, code, true).trimEnd().split("\n");
      const fits = lines.every((line) => !PICTURE.test(line) || line.length + MARGIN <= columns);
      if (!fits) return pairingText(address, code, false).trimEnd();
      return lines.map((line) => (PICTURE.test(line) ? inOwnColours(line) : line)).join("\n");
    },
    close: () => dashboard.close(),
  };
}

function optionsIn(typed: readonly string[]) {
  try {
    const { words, options } = parseArguments(typed, OPTIONS);
    if (words[0] === undefined) return options;
    throw new Error(`${JSON.stringify(words[0])} is one word too many.`);
  } catch (error) {
    if (error instanceof HelpRequested) throw new Error(USAGE);
    throw new Error(`${(error as Error).message} ${USAGE}`);
  }
}

/** White on black: phones do not read it the other way round, and not in the pale colour in which Pi shows what we say. */
function inOwnColours(line: string): string {
  return `\x1b[97;40m${line}\x1b[39;49m`;
}
