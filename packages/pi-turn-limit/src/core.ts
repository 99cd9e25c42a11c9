/**
 * What is used of the core at run time. From its sources, by their path: Pi also loads this extension from a clone in
 * which nothing is installed or built. Types of data are imported from `turn-limit` itself.
 */
export { hasPrice, usageOf } from "../../turn-limit/src/adapters/pi-agent-core/usage.ts";
export { Driver } from "../../turn-limit/src/driver/driver.ts";
export {
  createGovernor,
  DEFAULT_MAX_TURNS,
  type GovernorView,
  isReached,
} from "../../turn-limit/src/index.ts";
