import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Builds, buildsByName, entryOf } from "./builds.ts";
import { count } from "./format.ts";
import type { Asked } from "./gateway-process.ts";
import { heldStream, type StreamTimes, stream, turn } from "./gateway-streams.ts";
import type { Measurement, Unit } from "./measurement.ts";
import { interleaved, median, type Samples } from "./statistics.ts";

const SIZES = [
  { streams: 1, events: 2_000, repeated: 3 },
  { streams: 100, events: 100, repeated: 1 },
  { streams: 1_000, events: 10, repeated: 1 },
];
const rounds = { warmUp: 1, measured: 7 };
const memoryRounds = { warmUp: 0, measured: 6 };
const firstBytes = 100;
/** After so many requests all that they need is compiled. */
const compiledAfter = 2_500;
const held = 300;
/** In times the bare proxy. */
const goals = { alone: 1.05, event: 1.05, firstByteOfMany: 1.1, memory: 1.1 };

/** A process and where it listens. */
interface Proxy {
  process: ChildProcess;
  address: string;
}

/** Streams through the gateway, beside the same through the least that a proxy can be, and the least in our place. */
export async function gateway(builds: Builds): Promise<Measurement[]> {
  const children: ChildProcess[] = [];
  const start = async (script: string, ...args: string[]): Promise<Proxy> => {
    const child = fork(join(import.meta.dirname, script), args, { execArgv: ["--expose-gc"] });
    children.push(child);
    const failed = once(child, "exit").then(() => Promise.reject(new Error(`${script} did not start`)));
    // Later, when it is killed, nobody asks any more.
    failed.catch(() => {});
    const [address] = await Promise.race([once(child, "message"), failed]);
    return { process: child, address };
  };
  try {
    const provider = await start("gateway-provider.ts");
    const entries = Object.entries(buildsByName(builds)).map(([name, build]) => [
      name,
      entryOf(build, "./gateway"),
    ]);
    const startAll = async (kinds: Record<string, string>, ...counts: string[]): Promise<Proxies> => {
      const proxies = new Map<string, Proxy>();
      for (const [subject, kind] of Object.entries(kinds))
        proxies.set(subject, await start("gateway-process.ts", provider.address, kind, ...counts));
      return proxies;
    };
    const kinds: Record<string, string> = { bare: "bare", floor: "reading", ...Object.fromEntries(entries) };
    const proxies = await startAll(kinds);
    const results = [await firstByte("the first requests of a process", proxies, stream)];
    await warmUp(proxies, stream);
    results.push(await firstByte("later", proxies, stream));
    const counting = await startAll({ ...kinds, floor: "parsing" }, "turns");
    await warmUp(counting, turn);
    results.push(await firstByte("a turn of Claude Code, later", counting, turn, WHOLE_READ));
    for (const size of SIZES) results.push(...(await streaming(proxies, size)));
    const startProxy = (subject: string) =>
      start("gateway-process.ts", provider.address, kinds[subject] ?? "bare");
    results.push(await memoryOf([...proxies.keys()], startProxy));
    return results;
  } finally {
    for (const child of children) child.kill();
  }
}

type Proxies = ReadonlyMap<string, Proxy>;

async function warmUp(proxies: Proxies, ask: typeof stream): Promise<void> {
  for (const { address } of proxies.values()) for (let n = 0; n < compiledAfter; n++) await ask(address, 1);
}

/** From a request to the first byte of its answer, one request after the other. */
async function firstByte(
  when: string,
  proxies: Proxies,
  ask: typeof stream,
  floor = HAS_ALL,
): Promise<Measurement> {
  const ms = await interleaved([...proxies.keys()], rounds, async (subject) => {
    const took: number[] = [];
    for (let n = 0; n < firstBytes; n++)
      took.push((await ask(proxyOf(proxies, subject).address, 1)).firstByte);
    return median(took);
  });
  return compared(`Time to the first byte, ${when}`, ms, "ms", goals.alone, floor);
}

async function streaming(
  proxies: Proxies,
  { streams, events, repeated }: (typeof SIZES)[number],
): Promise<Measurement[]> {
  const subjects = [...proxies.keys()];
  const cpu: Samples<string> = Object.fromEntries(subjects.map((subject) => [subject, []]));
  const first: Samples<string> = Object.fromEntries(subjects.map((subject) => [subject, []]));
  const total = streams * events * repeated;
  const ms = await interleaved(subjects, rounds, async (subject) => {
    const { process, address } = proxyOf(proxies, subject);
    const before = await used(process, "cpu");
    const start = performance.now();
    const all: StreamTimes[] = [];
    for (let n = 0; n < repeated; n++) {
      all.push(...(await Promise.all(Array.from({ length: streams }, () => stream(address, events)))));
    }
    const elapsed = performance.now() - start;
    cpu[subject]?.push(((await used(process, "cpu")) - before) / total);
    first[subject]?.push(median(all.map(({ firstByte }) => firstByte)));
    return elapsed / total;
  });
  const measured = (samples: Samples<string>): Samples<string> =>
    Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, values.slice(rounds.warmUp)]));
  const where = `${count(streams)} ${streams === 1 ? "stream" : "streams at once"}`;
  const results = [
    compared(`An event, ${where}`, ms, "ms", goals.event),
    compared(`An event, processor time, ${where}`, measured(cpu), "ms", goals.event),
  ];
  if (streams > 1)
    results.push(compared(`First byte, ${where}`, measured(first), "ms", goals.firstByteOfMany));
  return results;
}

/** What an open stream takes of the memory, each time in a new process, whose garbage is its own. */
async function memoryOf(
  subjects: readonly string[],
  start: (subject: string) => Promise<Proxy>,
): Promise<Measurement> {
  const bytes = await interleaved(subjects, memoryRounds, async (subject) => {
    const { process, address } = await start(subject);
    // What is made once, with the first requests, is not a stream's.
    await Promise.all(Array.from({ length: held }, () => stream(address, 1)));
    const before = await used(process, "memory");
    await Promise.all(Array.from({ length: held }, () => heldStream(address)));
    const after = await used(process, "memory");
    process.kill();
    return (after - before) / held;
  });
  return compared(`Memory of an open stream, ${count(held)} at once`, bytes, "bytes", goals.memory);
}

const HAS_ALL = "one that has the whole request first, and reads usage";
const WHOLE_READ = "one that reads the whole request first, and usage";

function compared(
  figure: string,
  samples: Samples<string>,
  unit: Unit,
  atMost: number,
  floorName = HAS_ALL,
): Measurement {
  const { bare = [], floor = [], now = [], before } = samples;
  return {
    figure,
    unit,
    now,
    before,
    base: { name: "a bare proxy", samples: bare },
    floor: { name: floorName, samples: floor },
    goal: { atMost, compared: "times" },
  };
}

function proxyOf(proxies: Proxies, subject: string): Proxy {
  const proxy = proxies.get(subject);
  if (!proxy) throw new Error(`There is no proxy ${subject}`);
  return proxy;
}

async function used(process: ChildProcess, asked: Asked): Promise<number> {
  const reply = once(process, "message");
  process.send(asked);
  const [value] = await reply;
  return value;
}
