import type { AdapterOptions } from "../../run/options.ts";
import { Driver } from "./driver.ts";

/** Refuses bad options at once, where each run has a driver of its own. Throws `InvalidLimit`. */
export function requireOptions(options: AdapterOptions): void {
  new Driver(options);
}
