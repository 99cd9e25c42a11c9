import { GatewayRun } from "./requests/gateway-run.ts";
import type { GatewayRunOptions } from "./requests/options.ts";

/** How many names are kept in memory. */
const MOST = 10_000;

/**
 * The runs of a shared gateway, one for each name. When there are too many, the least recently used one is dropped, if all
 * its limits are those of pools: they know the usage when the name comes back.
 */
export class SharedRuns {
  readonly #limitsOf: (name: string) => GatewayRunOptions;
  readonly #most: number;
  /** The least recently used one is the first. `requests`: how many are under way. */
  readonly #runs = new Map<string, { readonly run: GatewayRun; requests: number }>();
  readonly #ending = new Set<Promise<unknown>>();

  constructor(limitsOf: (name: string) => GatewayRunOptions, most = MOST) {
    this.#limitsOf = limitsOf;
    this.#most = most;
  }

  /** The run for a request. It is not dropped before the request is over. A text: why there is none. */
  of(name: string, whenOver: (callback: () => void) => void): GatewayRun | string {
    const known = this.#runs.get(name);
    if (!known && this.#runs.size >= this.#most && !this.#dropOne())
      return "The gateway has requests of too many others at once.";
    const used = known ?? { run: new GatewayRun(this.#limitsOf(name), "clients"), requests: 0 };
    this.#runs.delete(name);
    this.#runs.set(name, used);
    used.requests += 1;
    whenOver(() => {
      used.requests -= 1;
    });
    used.run.renew();
    return used.run;
  }

  /** Ends them all. Resolves when their usage is settled in the pools. */
  async end(): Promise<void> {
    await Promise.all([...this.#ending, ...[...this.#runs.values()].map(({ run }) => run.end())]);
  }

  #dropOne(): boolean {
    for (const [name, { run, requests }] of this.#runs) {
      if (requests > 0 || run.hasOwnLimits) continue;
      this.#runs.delete(name);
      const ending = run.end().finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
      return true;
    }
    return false;
  }
}
