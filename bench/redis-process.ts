/**
 * A process whose members each make one request after the other to a Redis server, for as long as each {@link RedisOrder}
 * says. It answers how many they were.
 */
import { createClient } from "redis";
import type * as Store from "turn-limit/stores/redis";
import { type Build, entryOf } from "./builds.ts";

/** A bare INCR, a script that does the least that a request needs, or a build of turn-limit by its name. */
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
/**
 * What nobody can leave out: the server's time, for leases and for requests that come too late; what the pool allows, and what
 * all have used and hold; that each member is as its last request left it, so that none is done twice; whether it is covered;
 * all of it written; and what there is then, for the reply.
 */
const least = String(
  await client.scriptLoad(`
    local time, asked = redis.call('TIME'), cjson.decode(ARGV[1])
    local now, count = time[1] * 1000 + (time[2] - time[2] % 1000) / 1000, (#asked - 1) / 3
    if now >= asked[1] then return 0 end
    local found = redis.call('HMGET', KEYS[1], 'sums', 'rules', unpack(asked, 2, 1 + count))
    local turns, tokens, held = 0, 0, 0
    if found[1] then turns, tokens, held = struct.unpack('>ddd', found[1]) end
    if found[2] then return 0 end
    local values, at = { 'sums', '' }, 1 + count
    for n = 1, count do
      local before, after = asked[at + 1], asked[at + 2]
      if found[n + 2] and string.sub(found[n + 2], 9) ~= before then return 0 end
      if turns >= 1e9 or tokens + held > 1e15 then return 0 end
      turns, tokens, at = turns + 1, tokens + 1500, at + 2
      values[2 * n + 1], values[2 * n + 2] = asked[1 + n], struct.pack('>d', now + 60000) .. after
    end
    values[2] = struct.pack('>ddd', turns, tokens, held)
    redis.call('HSET', KEYS[1], unpack(values))
    return { now, turns, tokens, held }`),
);
/** How many requests each member made. */
const made: number[] = [];
let waiting: { member: number; done: (reply: unknown) => void }[] = [];
/** What was written of each member, as long as the name, the number of a request and some amounts are. */
const texts: string[] = [];
/** All requests of one tick together, as the store makes them. */
function leastOf(member: number): Promise<unknown> {
  return new Promise((done) => {
    waiting.push({ member, done });
    if (waiting.length > 1) return;
    process.nextTick(async () => {
      const asked = waiting;
      waiting = [];
      const values: (number | string)[] = [Date.now() + 60_000];
      for (const { member } of asked) values.push(`m:${process.pid} ${member}`);
      for (const { member } of asked) {
        const turn = (made[member] ?? 0) + 1;
        made[member] = turn;
        const text = `a member ${turn} ${turn} ${1_500 * turn} 2000`;
        values.push(texts[member] ?? "", text);
        texts[member] = text;
      }
      const reply = await client.evalSha(least, { keys: ["least"], arguments: [JSON.stringify(values)] });
      if (!Array.isArray(reply)) throw new Error("The least script refused a request");
      for (const { done } of asked) done(reply);
    });
  });
}

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
