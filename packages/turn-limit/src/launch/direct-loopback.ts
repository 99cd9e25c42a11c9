import type { Start } from "./launcher.ts";

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/** In a list of hosts for which there is no proxy. */
const INCLUDES_GATEWAY = /(?:^|[\s,])(?:127\.0\.0\.1|\*)(?:$|[\s,])/;

/** Is the gateway reached directly with these variables, although they name hosts for which there is no proxy? */
export function leavesLoopbackDirect({ NO_PROXY, no_proxy }: Start["env"]): boolean {
  return [NO_PROXY, no_proxy].every((hosts) => hosts === undefined || INCLUDES_GATEWAY.test(hosts));
}

/** The environment in which an agent reaches the gateway directly, also where it uses a proxy for everything else. */
export function withDirectLoopback(env: Start["env"]): Start["env"] {
  return usesProxy(env) ? { ...env, ...directLoopback(env) } : env;
}

/** Does it name a proxy? */
export function usesProxy(env: Start["env"]): boolean {
  return PROXIES.some((name) => Boolean(env[name] || env[name.toLowerCase()]));
}

/** The variables by which no proxy comes between, beside the hosts for which none does already. */
export function directLoopback(env: Start["env"]): { NO_PROXY: string; no_proxy: string } {
  const hosts = [env.NO_PROXY, env.no_proxy]
    .flatMap((list) => list?.split(",") ?? [])
    .map((host) => host.trim());
  const direct = [...new Set([...hosts.filter(Boolean), "127.0.0.1", "localhost"])].join(",");
  return { NO_PROXY: direct, no_proxy: direct };
}
