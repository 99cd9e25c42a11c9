import { homedir } from "node:os";
import { join } from "node:path";
import { wrongInput } from "./command-error.ts";

/** What people may give as a store. */
export const STORE_FORMS = "a file, or a redis:// or rediss:// address";

const REDIS = /^rediss?:\/\//i;
const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;

/** Where the pools are: as given, else `TURN_LIMIT_STORE`, else the file in which Pi keeps them. */
export function storeAddress(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const source = given === undefined ? "TURN_LIMIT_STORE" : "--store";
  const address = given ?? env.TURN_LIMIT_STORE;
  if (!address) return join(piAgentFolder(env), "turn-limit.sqlite");
  if (ADDRESS.test(address) && !isRedis(address))
    throw wrongInput(
      `${JSON.stringify(shownAddress(address))} from ${source} is not a store. Use ${STORE_FORMS}.`,
    );
  return isRedis(address) ? address : inHome(address);
}

/** Is it a Redis server? Otherwise it is a file. */
export function isRedis(address: string): boolean {
  return REDIS.test(address);
}

/** The address without the name and the password of a user. */
export function shownAddress(address: string): string {
  // Up to the last @: a password may have one, or a slash.
  return address.replace(/^([a-z][a-z0-9+.-]+:\/\/).*@/is, "$1");
}

// As Pi finds it.
function piAgentFolder(env: Readonly<Record<string, string | undefined>>): string {
  const folder = env.PI_CODING_AGENT_DIR;
  return folder ? inHome(folder) : join(homedir(), ".pi", "agent");
}

function inHome(path: string): string {
  return path.replace(/^~(?=$|[/\\])/, homedir());
}
