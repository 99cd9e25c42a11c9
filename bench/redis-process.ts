/**
 * A process whose members each make one request after the other to a Redis server, for as long as each {@link RedisOrder}
 * says. It answers how many they were.
 */
import { createClient } from "redis";
import type * as Store from "turn-limit/stores/redis";
import { type Build, entryOf } from "./builds.ts";

/**
 * A bare INCR, a script that does the least that a request needs, or a build of turn-limit by its name.
 * A request reads and writes the fields of a pool and of a member, and replies with what there is then.
 */
export type RedisSubject = "incr" | "least" | "now" | "before";

export interface RedisOrder {
  subject: RedisSubject;
  members: number;
  ms: number;
}

const [address = "", json = "{}"] = process.argv.slice(2);
const builds: Record<string, Build> = JSON.parse(json);
const client = createClient({ url: address });
await client.connect();
/** As many values as the store keeps of a pool and of a member, and as a request and its reply have. */
const least = String(
  await client.scriptLoad(`
    local now, asked = redis.call('TIME'), cjson.decode(ARGV[1])
    local reply = { now[1], now[2], '', '' }
    local fields = { 'version', 'sums', 'extra', 'state', 'limits', 'frozen', 'head' }
    for n = 1, #asked / 28 do fields[n + 7] = 'm:' .. asked[n * 28] end
    local found, values = redis.call('HMGET', KEYS[1], unpack(fields)), {}
    for n = 2, #fields do
      if n == 2 or n > 7 then
        local packed = found[n] and { cmsgpack.unpack(found[n]) } or { 0, 0, 0, 0, 0, 0, 0, 'turns', 0, 0, 'tokens', 0, 0, 0, 0, 0 }
        packed[2] = packed[2] + 1
        values[#values + 1], values[#values + 2] = fields[n], cmsgpack.pack(unpack(packed))
      end
    end
    redis.call('HSET', KEYS[1], unpack(values))
    for n = 5, #asked / 28 * 13 + 4 do reply[n] = n end
    return reply`),
);
let waiting: { member: number; done: (reply: unknown) => void }[] = [];
/** All requests of one tick together, as the store makes them. */
function leastOf(member: number): Promise<unknown> {
  return new Promise((done) => {
    waiting.push({ member, done });
    if (waiting.length > 1) return;
    process.nextTick(async () => {
      const asked = waiting;
      waiting = [];
      const values = asked.flatMap(({ member }) => [...Array(27).fill(1_500), `${process.pid} ${member}`]);
      const reply = await client.evalSha(least, { keys: ["least"], arguments: [JSON.stringify(values)] });
      for (const { done } of asked) done(reply);
    });
  });
}
/** How many requests each member made. */
const made: number[] = [];

const subjects: Record<string, (member: number) => Promise<unknown>> = {
  incr: () => client.incr("counter"),

  least: leastOf,
};
for (const [name, build] of Object.entries(builds)) {
  const { redisStore }: typeof Store = await import(entryOf(build, "./stores/redis"));
  const store = redisStore(client);
  subjects[name] = (member) => {
    const turn = (made[member] ?? 0) + 1;
    made[member] = turn;
    return store.take({
      pool: `pool of ${name}`,
      member: { id: `${process.pid} ${member}`, name: "a member" },
      ...{ incarnation: 1, turn, answered: 0, heard: 0 },
      used: { turns: turn - 1, tokens: 1500 * turn },
      want: { turns: 1 },
      hold: { tokens: 2000 },
      limits: { turns: 1e9, tokens: 1e15 },
      lease: 60_000,
    });
  };
}

process.on("message", async ({ subject, members, ms }: RedisOrder) => {
  const request = subjects[subject];
  if (!request) throw new Error(`There is no ${subject}`);
  const end = performance.now() + ms;
  let requests = 0;
  async function ask(member: number): Promise<void> {
    while (performance.now() < end) {
      await request?.(member);
      requests += 1;
    }
  }
  await Promise.all(Array.from({ length: members }, (_, member) => ask(member)));
  process.send?.(requests);
});
process.send?.("ready");
