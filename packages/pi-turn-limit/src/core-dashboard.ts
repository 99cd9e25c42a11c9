/** The core's page of runs and pools. It is built apart, with what it serves, and loaded when it is opened. */
export { parseArguments } from "../../turn-limit/src/command/arguments.ts";
export { HelpRequested } from "../../turn-limit/src/command/command-error.ts";
export { readPlace } from "../../turn-limit/src/command/dashboard/access.ts";
export { Devices, devicesFolder } from "../../turn-limit/src/command/dashboard/devices.ts";
export { serveDashboard } from "../../turn-limit/src/command/dashboard/server.ts";
export { pairingText, served } from "../../turn-limit/src/command/dashboard/serving.ts";
