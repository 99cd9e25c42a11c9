import { REMEMBERED_RUNS, RUNS_KEPT } from "../../ledger/past-runs.ts";
import { script } from "./script.ts";

/**
 * Keeps what a run took, in the order in which runs ended. `ARGV`: the time in tests, the run with its id: kept again it is
 * the same.
 */
export const REMEMBER = script(`
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + (time[2] - time[2] % 1000) / 1000
end
redis.call('ZADD', KEYS[1], 'NX', now, ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -${REMEMBERED_RUNS + 1})
redis.call('PEXPIRE', KEYS[1], ${RUNS_KEPT})
return 1
`);

/** What the last runs of an agent took. */
export const PAST_RUNS = script("return redis.call('ZRANGE', KEYS[1], 0, -1)");
