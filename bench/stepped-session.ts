import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { deferred } from "@turn-limit/rig";
import { openFauxSession } from "./faux-session.ts";

/** A Pi session that goes one turn further when it is told to. */
export interface SteppedSession extends Disposable {
  /** Goes on until the next model request, the first time until the first. `false` when the run is over. */
  goOn(): Promise<boolean>;
}

export async function openSteppedSession(
  folder: string,
  turns: number,
  extensions: ExtensionFactory[],
): Promise<SteppedSession> {
  let stopped = deferred<boolean>();
  let answer: (() => void) | undefined;
  const { session } = await openFauxSession(folder, turns, extensions, () => {
    const { promise, resolve } = deferred();
    answer = resolve;
    stopped.resolve(true);
    return promise;
  });
  return {
    goOn() {
      stopped = deferred<boolean>();
      if (answer) answer();
      else session.prompt("Go.").then(() => stopped.resolve(false), stopped.reject);
      return stopped.promise;
    },
    [Symbol.dispose]: () => session.dispose(),
  };
}
