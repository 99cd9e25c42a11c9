import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { count, time, times } from "./format.ts";
import type { Asked, GatewaySubject } from "./gateway-process.ts";
import { heldStream, type StreamTimes, stream } from "./gateway-streams.ts";
import { interleaved, median, ratio, ratioRange, type Samples } from "./statistics.ts";
import { type Result, verdictOf } from "./table.ts";

const SIZES = [
  { streams: 1, events: 2_000, repeated: 3 },
  { streams: 100, events: 100, repeated: 1 },
  { streams: 1_000, events: 10, repeated: 1 },
];
const subjects: readonly GatewaySubject[] = ["bare", "gateway"];
const rounds = { warmUp: 1, measured: 7 };
const firstBytes = 100;
const held = 300;
const goal = 1.05;

/** A process and where it listens. */
interface Proxy {
  process: ChildProcess;
  address: string;
}

/** Streams through the gateway, beside the same through the least that a proxy can be. */
export async function gateway(): Promise<Result[]> {
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
    const startProxy = (subject: GatewaySubject) => start("gateway-process.ts", subject, provider.address);
    const proxies = { bare: await startProxy("bare"), gateway: await startProxy("gateway") };
    const results = [await firstByte(proxies)];
    for (const size of SIZES) results.push(...(await streaming(proxies, size)));
    results.push(await memoryOf(startProxy));
    return results;
  } finally {
    for (const child of children) child.kill();
  }
}

type Proxies = Record<GatewaySubject, Proxy>;

/** From a request to the first byte of its answer, one request after the other. */
async function firstByte(proxies: Proxies): Promise<Result> {
  const ms = await interleaved(subjects, rounds, async (subject) => {
    const took: number[] = [];
    for (let n = 0; n < firstBytes; n++) took.push((await stream(proxies[subject].address, 1)).firstByte);
    return median(took);
  });
  return compared("Gateway, time to the first byte", ms, milliseconds);
}

async function streaming(
  proxies: Proxies,
  { streams, events, repeated }: (typeof SIZES)[number],
): Promise<Result[]> {
  const cpu: Samples<GatewaySubject> = { bare: [], gateway: [] };
  const first: Samples<GatewaySubject> = { bare: [], gateway: [] };
  const total = streams * events * repeated;
  const ms = await interleaved(subjects, rounds, async (subject) => {
    const { process, address } = proxies[subject];
    const before = await used(process, "cpu");
    const start = performance.now();
    const all: StreamTimes[] = [];
    for (let n = 0; n < repeated; n++) {
      all.push(...(await Promise.all(Array.from({ length: streams }, () => stream(address, events)))));
    }
    const elapsed = performance.now() - start;
    cpu[subject].push(((await used(process, "cpu")) - before) / total);
    first[subject].push(median(all.map(({ firstByte }) => firstByte)));
    return elapsed / total;
  });
  const measured = (samples: Samples<GatewaySubject>) => ({
    bare: samples.bare.slice(rounds.warmUp),
    gateway: samples.gateway.slice(rounds.warmUp),
  });
  const where = `${count(streams)} ${streams === 1 ? "stream" : "streams at once"}`;
  const results = [
    compared(`Gateway, an event, ${where}`, ms, milliseconds),
    compared(`Gateway, an event, processor time, ${where}`, measured(cpu), milliseconds),
  ];
  if (streams > 1) results.push(compared(`Gateway, first byte, ${where}`, measured(first), milliseconds));
  return results;
}

/** What an open stream takes of the memory, each time in a new process, whose garbage is its own. */
async function memoryOf(start: (subject: GatewaySubject) => Promise<Proxy>): Promise<Result> {
  const bytes = await interleaved(subjects, { warmUp: 0, measured: 6 }, async (subject) => {
    const { process, address } = await start(subject);
    // What is made once, with the first requests, is not a stream's.
    await Promise.all(Array.from({ length: held }, () => stream(address, 1)));
    const before = await used(process, "memory");
    await Promise.all(Array.from({ length: held }, () => heldStream(address)));
    const after = await used(process, "memory");
    process.kill();
    return (after - before) / held;
  });
  const what = `Gateway, memory of an open stream, ${count(held)} at once`;
  return compared(what, bytes, (value) => `${count(Math.round(value))} bytes`);
}

function compared(what: string, samples: Samples<GatewaySubject>, shown: (value: number) => string): Result {
  const [low, high] = ratioRange(samples.gateway, samples.bare);
  const interval = { middle: ratio(samples.gateway, samples.bare), low, high };
  return {
    what,
    without: shown(median(samples.bare)),
    measured: shown(median(samples.gateway)),
    difference: times(interval),
    goal: { text: `at most ${goal} times`, verdict: verdictOf(interval, goal) },
  };
}

async function used(process: ChildProcess, asked: Asked): Promise<number> {
  const reply = once(process, "message");
  process.send(asked);
  const [value] = await reply;
  return value;
}

function milliseconds(ms: number): string {
  return time(ms * 1e6);
}
