/** Measures one workload with each build in turn, and sends the nanoseconds per turn to the parent process. */
import { threadCpuMs } from "./cpu-time.ts";
import { type Core, turnsPerPrompt, type workloads } from "./governor-workloads.ts";
import { interleaved } from "./statistics.ts";

const rounds = { warmUp: 30, measured: 30 };

const [name = "", cores = "{}"] = process.argv.slice(2);
const addresses: Record<string, string> = JSON.parse(cores);
const samplers = new Map<string, () => number>();
for (const [subject, address] of Object.entries(addresses)) {
  // Loaded once for each build: shared code that has seen several builds is slower with each of them.
  const own: { workloads: typeof workloads } = await import(`./governor-workloads.ts?${subject}`);
  samplers.set(subject, samplerOf(own.workloads, await import(address)));
}
const ns = await interleaved([...samplers.keys()], rounds, async (subject) => samplers.get(subject)?.() ?? 0);
process.send?.(ns);

function samplerOf(from: typeof workloads, core: Core): () => number {
  const workload = from[name];
  if (!workload) throw new Error(`There is no workload ${name}`);
  const { promptsPerSample, prepare } = workload;
  const run = prepare(core);
  return () => {
    const start = threadCpuMs();
    run(promptsPerSample);
    return ((threadCpuMs() - start) * 1e6) / (promptsPerSample * turnsPerPrompt);
  };
}
