import type { SessionBudgets } from "../agents/session-budgets.ts";
import { listIn } from "../core.ts";
import { inHome } from "../settings/pi-folders.ts";
import { type Notifications, TERMINAL } from "./notifications.ts";
import type { PrintParking } from "./print-parking.ts";

/** Where the session is seen from elsewhere while it is open. The store is opened when there is something to say. */
export function listing(
  { store }: SessionBudgets,
  cwd: string,
  id: string,
  notifications: Notifications | undefined,
  parking: PrintParking | undefined,
) {
  const folder = inHome(cwd);
  return listIn(store, {
    ...{ agent: "Pi", name: `Pi in ${folder}`, folder, id },
    where: () => (parking?.repliedLast ? undefined : (notifications?.where ?? TERMINAL)),
    betweenRuns: true,
  });
}
