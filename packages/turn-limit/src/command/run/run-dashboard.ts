import type { Store } from "../../pools/ledger/store.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Notices } from "./notices.ts";

/**
 * Serves the page with the runs and pools of the run's store for as long as the run lasts. Prints how to pair a browser before
 * the agent takes the screen.
 */
export async function openRunDashboard(
  { hasDashboard }: { readonly hasDashboard: boolean },
  openStore: () => Promise<Store>,
  { env }: Pick<Surroundings, "env">,
  notices: Pick<Notices, "announce">,
): Promise<{ close(): Promise<void> } | undefined> {
  if (!hasDashboard) return undefined;
  const [{ pairingText }, { served }, { readPlace }, { Devices, devicesFolder }, { serveDashboard }] =
    await Promise.all([
      import("../dashboard/pairing-text.ts"),
      import("../dashboard/served.ts"),
      import("../dashboard/place.ts"),
      import("../dashboard/devices.ts"),
      import("../dashboard/server.ts"),
    ]);
  const store = await openStore();
  const devices = new Devices(devicesFolder(env));
  const code = devices.newCode();
  const serve = (port?: string) => {
    const place = readPlace(port === undefined ? {} : { port });
    return served(() => serveDashboard(store, devices, place), place);
  };
  // The usual port may be that of another dashboard, perhaps of another store.
  const dashboard = await serve().catch(() => serve("0"));
  const { address } = dashboard;
  notices.announce(`This run is shown at ${address} while it works.`);
  notices.announce(pairingText(address, code, false));
  return dashboard;
}
