import { deferred, type Reply, type Script, slow } from "@turn-limit/rig";

/** Holds the answer of the first request until the gate opens; then follows the script. */
export function heldAtFirst(first: Reply, then: Script): { script: Script; release: () => void } {
  const gate = deferred();
  const script: Script = (request) => (request.index === 1 ? slow(first, gate.promise) : then(request));
  return { script, release: () => gate.resolve() };
}
