/**
 * Would what is sent on to this provider come back to the gateway? `own`: an address of the gateway. `hosts`: other names
 * under which it is reached.
 */
export function leadsBack(upstream: string, own: string, hosts: readonly string[]): boolean {
  const { host } = new URL(upstream);
  const { host: ours, port } = new URL(own);
  return [ours, `localhost:${port}`, ...hosts].includes(host);
}
