import type { Start } from "./profile.ts";

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/** The environment in which an agent reaches the gateway directly, also where it uses a proxy for everything else. */
export function withDirectLoopback(env: Start["env"]): Start["env"] {
  const isSet = (name: string) => Boolean(env[name] || env[name.toLowerCase()]);
  if (!PROXIES.some(isSet)) return env;
  const hosts = [env.NO_PROXY, env.no_proxy]
    .flatMap((list) => list?.split(",") ?? [])
    .map((host) => host.trim());
  const direct = [...new Set([...hosts.filter(Boolean), "127.0.0.1", "localhost"])].join(",");
  return { ...env, NO_PROXY: direct, no_proxy: direct };
}
