/** The core's page of runs and pools. It is built apart, with what it serves, and loaded when it is opened. */
export { parseArguments } from "../../turn-limit/src/command/arguments.ts";
export { HelpRequested } from "../../turn-limit/src/command/command-error.ts";
export { Devices, devicesFolder } from "../../turn-limit/src/command/dashboard/devices.ts";
export { pairingText } from "../../turn-limit/src/command/dashboard/pairing-text.ts";
export { readPlace } from "../../turn-limit/src/command/dashboard/place.ts";
export { served } from "../../turn-limit/src/command/dashboard/served.ts";
export { serveDashboard } from "../../turn-limit/src/command/dashboard/server.ts";
