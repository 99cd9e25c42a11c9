import { createGovernor } from "turn-limit";
import { cpuTimePerTurn } from "./cpu-time.ts";
import { runner as loop } from "./runners/loop.ts";
import type { Run } from "./runners/runner.ts";
import { interleaved, median, ratio } from "./statistics.ts";
import { type Result, verdict } from "./table.ts";

const lengths = ["10", "1000", "100000"] as const;
const turnsPerSample = 200_000;
const rounds = { warmUp: 3, measured: 15 };
const goal = 1.1;

/** The time that our part takes per turn, in runs of different lengths: it must not grow with them. */
export async function growth(): Promise<Result[]> {
  const work = async () => "done";
  const governed = (turns: number) => loop.prepare({ turns, limiter: "ours", work });
  return [await growthOf("core", govern), await growthOf("hand-written loop, with turn-limit", governed)];
}

async function growthOf(what: string, prepare: (turns: number) => Run): Promise<Result> {
  const ns = await interleaved(lengths, rounds, (length) => {
    const turns = Number(length);
    return cpuTimePerTurn(prepare(turns), turns, turnsPerSample / turns);
  });
  const times = ratio(ns["100000"], ns["1000"]);
  return {
    what: `${what}, a turn of 10, 1,000 and 100,000`,
    measured: lengths.map((length) => `${median(ns[length]).toFixed(0)} ns`).join(", "),
    difference: `${times.toFixed(3)} times from 1,000 to 100,000`,
    goal: { text: `at most ${goal} times`, verdict: verdict(times <= goal) },
  };
}

/** A run of the governor alone, with a tool call and a usage in every turn. */
function govern(turns: number): Run {
  return async () => {
    const governor = createGovernor({ turns, steps: turns });
    governor.prompt();
    let admitted = 0;
    while (admitted < turns && governor.beforeTurn().kind === "proceed") {
      admitted += 1;
      governor.turnEnded({ usage: { input: 100, output: 20 } });
      governor.beforeStep();
    }
    governor.settled();
    return admitted;
  };
}
