import type * as Adapter from "turn-limit/loop";
import type { Run, Runner, Setting } from "./runner.ts";

interface Answer {
  calls: number;
  usage: { input: number; output: number };
}

/** Counts requests, and answers the last of a run without a tool call. */
function scriptedModel(turns: number) {
  let requests = 0;
  return {
    async request(): Promise<Answer> {
      requests += 1;
      return { calls: requests % turns === 0 ? 0 : 1, usage: { input: 100, output: 20 } };
    },
    get requests() {
      return requests;
    },
  };
}

function unlimited({ turns, work }: Setting): Run {
  return async () => {
    const model = scriptedModel(turns);
    while (true) {
      const answer = await model.request();
      if (answer.calls === 0) return model.requests;
      await work();
    }
  };
}

function counted({ turns, work }: Setting): Run {
  return async () => {
    const model = scriptedModel(turns);
    for (let turn = 0; turn < turns; turn += 1) {
      const answer = await model.request();
      if (answer.calls === 0) break;
      await work();
    }
    return model.requests;
  };
}

function governed({ turns, work, listed }: Setting, { limitLoop }: typeof Adapter): Run {
  return async () => {
    const limits = limitLoop({ turns, steps: turns, ...listed });
    const model = scriptedModel(turns);
    limits.begin();
    for (let turn = await limits.nextTurn(); turn; turn = await limits.nextTurn()) {
      const answer = await model.request();
      limits.turnEnded({ usage: answer.usage });
      if (answer.calls === 0) break;
      if ((await limits.refusal()) === undefined) await work();
    }
    limits.end();
    return model.requests;
  };
}

/** Awaits wherever a loop with limits has to, and nothing else. */
function awaiting({ turns, work }: Setting): Run {
  return async () => {
    const model = scriptedModel(turns);
    while (true) {
      await nothing();
      const answer = await model.request();
      if (answer.calls === 0) return model.requests;
      if ((await nothing()) === undefined) await work();
    }
  };
}

async function nothing(): Promise<void> {}

const runs = { none: unlimited, native: counted, hooks: awaiting, ours: governed };

/** A loop written by hand. It keeps no history, so a turn of it takes as long in a long run as in a short one. */
export const runner: Runner<typeof Adapter> = {
  framework: "hand-written loop",
  entry: "./loop",
  native: "for (turn < n)",
  hooks: "two empty functions that are awaited",
  seen: true,
  lengths: [10, 1_000, 100_000],
  prepare: (setting, adapter) => runs[setting.limiter](setting, adapter),
};
