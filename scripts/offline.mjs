import { join } from "node:path";

/**
 * An environment in which npm has no registry and an empty cache. Whatever runs after the install can use only
 * what the lock file brought; asking npm for anything else fails, on every machine.
 *
 * @param {string} root The folder of the repository.
 */
export function offline(root) {
  return {
    npm_config_offline: "true",
    npm_config_cache: join(root, "node_modules", ".cache", "npm-without-registry"),
  };
}
