import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { bash, calls, type Reply, stalls, trickles } from "@turn-limit/rig";
import type { Stage } from "./stage.ts";

/** A command that hangs, and that leaves a line behind when it begins. */
export const hangs = calls(bash("echo begun >> hanging; sleep 600"));

/** Waits until a command hangs, for the so-manieth time. */
export async function commandHangs({ sandbox }: Stage, time = 1): Promise<void> {
  const begun = () => readFile(join(sandbox.projectDir, "hanging"), "utf8").catch(() => "");
  while ((await begun()).split("\n").length <= time) await pause(20);
}

/** A way in which a turn never ends by itself. */
export interface Hanging {
  what: string;
  reply: Reply;
  /** Waits until this request hangs, as the so-manieth that does. */
  begins(stage: Stage, request?: number, time?: number): Promise<unknown>;
}

/** Ways in which a turn never ends by itself. */
export const hanging: Hanging[] = [
  { what: "a command that hangs", reply: hangs, begins: (stage, _, time) => commandHangs(stage, time) },
  {
    what: "a request that gets no answer",
    reply: stalls(),
    begins: ({ model }, request = 1) => model.waitForRequest(request),
  },
  {
    what: "an answer that never ends",
    reply: trickles("And on. "),
    begins: ({ model }, request = 1) => model.waitForRequest(request),
  },
];
