import type { Pool } from "../../../pools/pool.ts";
import type { Way } from "./way.ts";

/** Asks whoever watches a pool, by `turn-limit pools`. `opened` is called when it can be asked there. */
export function inPool(open: () => Promise<Pool>, opened: () => void): Way {
  return async (question, signal, run) => {
    const pool = await open();
    // A store that cannot be used is no place to answer at.
    await pool.read();
    opened();
    return pool.ask(question, signal, run);
  };
}
