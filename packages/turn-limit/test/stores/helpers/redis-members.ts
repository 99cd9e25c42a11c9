/**
 * A process with several members: each asks for one turn at a time. It says `ready`, and for each {@link Order} it
 * answers how many turns its members were granted.
 */
import { type RedisTarget, redisStore } from "../../../src/pools/stores/redis/index.ts";
import { testMember } from "../../../src/testing/store-contract/test-member.ts";

export interface Order {
  target: RedisTarget;
  pool: string;
  max: number;
  members: number;
  /** How many requests all its members make together. */
  requests: number;
}

process.on("message", async ({ target, pool, max, members, requests }: Order) => {
  const store = redisStore(target, { timeout: 600_000 });
  let left = requests;
  async function grantedTo(id: string): Promise<number> {
    let granted = 0;
    const member = testMember(store, pool, id);
    while (left > 0) {
      left -= 1;
      const { kind } = await member.take({ want: { turns: 1 }, limits: { turns: max }, lease: 86_400_000 });
      if (kind === "granted") granted += 1;
    }
    return granted;
  }
  const all = Array.from({ length: members }, (_, place) => grantedTo(`${process.pid}-${place}`));
  process.send?.((await Promise.all(all)).reduce((sum, granted) => sum + granted, 0));
});
process.send?.("ready");
