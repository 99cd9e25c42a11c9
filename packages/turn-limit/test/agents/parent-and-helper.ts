import { byKind, deferred, type ProviderScript, startsSubAgent, worksForever } from "@turn-limit/rig";

/**
 * Two that never end by themselves. A parent that does not wait for its helper is kept waiting, until the helper is at
 * its second turn.
 */
export function parentAndHelper(): ProviderScript {
  let asked = 0;
  const isAtWork = deferred<void>();
  const works = worksForever();
  return byKind({
    main: startsSubAgent("Help me.", async (request) => {
      await isAtWork.promise;
      return works(request);
    }),
    "sub-agent": (request) => {
      if (++asked === 2) isAtWork.resolve();
      return works(request);
    },
  });
}
