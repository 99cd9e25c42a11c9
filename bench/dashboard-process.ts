/** A process that serves the dashboard of a build, as `turn-limit dashboard` does. It says where, how a browser is paired, and what processor time it has used. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export type DashboardOrder = "code" | "cpu";
/** A code, or milliseconds of processor time. */
export type DashboardReply = { code: string } | { cpu: number };

const [core = "", address = "", folder = ""] = process.argv.slice(2);
const from = (file: string) => import(pathToFileURL(join(core, "dist", "command", file)).href);
const { openStore } = (await from(
  "stores.js",
)) as typeof import("../packages/turn-limit/src/command/stores.ts");
const { serveDashboard } = (await from(
  "dashboard/server.js",
)) as typeof import("../packages/turn-limit/src/command/dashboard/server.ts");
const { Devices } = (await from(
  "dashboard/devices.js",
)) as typeof import("../packages/turn-limit/src/command/dashboard/devices.ts");

const devices = new Devices(folder);
const store = await openStore(address, true);
const dashboard = await serveDashboard(store, devices, { host: "127.0.0.1", port: 0 });

process.on("message", (order: DashboardOrder) => {
  const { user, system } = process.cpuUsage();
  const reply: DashboardReply =
    order === "code" ? { code: devices.newCode() } : { cpu: (user + system) / 1_000 };
  process.send?.(reply);
});
process.on("disconnect", () => process.exit());
process.send?.(dashboard.address);
