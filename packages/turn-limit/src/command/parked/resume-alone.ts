import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Reply } from "../../core/governor/decision.ts";
import { PI_RESUMED } from "../../launch/resumed-pi.ts";
import type { Store } from "../../pools/ledger/store.ts";
import type { Parked } from "../../pools/listing/parked-runs.ts";
import { exitCodeOf, startAgent } from "../run/start-agent.ts";
import type { Surroundings } from "../surroundings.ts";
import { GoesOnFrom } from "./goes-on-from.ts";
import { GO_ON, lineOf } from "./run-again.ts";

/**
 * Goes on with a run of Pi, whose extension holds it to its limits, and says by a file that it did: if Pi cannot start, or does
 * not find its session, the run stays parked. `given`: the reply to its question, if somebody replied; `more`: further arguments.
 */
export async function resumeAlone(
  store: Store,
  parked: Parked,
  given: Reply | undefined,
  more: readonly string[],
  { folder, env, stderr }: Pick<Surroundings, "env" | "stderr"> & { folder: string },
): Promise<number> {
  const from = new GoesOnFrom(store, parked, given);
  const { id, state } = from;
  const line = lineOf(parked, more, given === undefined ? GO_ON.startedOver : GO_ON.allowed);
  const messages = await mkdtemp(join(tmpdir(), "turn-limit-resume-"));
  const wentOn = join(messages, "went-on");
  try {
    await from.take();
    const limit = parked.question?.limit ?? null;
    const { reply, isReplyUsed, holder } = from;
    const handed = { id, state, limit, reply, isReplyUsed, wentOn, holder };
    const ended = await startAgent({ line, env: { ...env, [PI_RESUMED]: JSON.stringify(handed) } }, folder);
    from.isOver = existsSync(wentOn);
    // Without the extension nothing held it.
    return from.isOver ? exitCodeOf(ended) : exitCodeOf(ended) || 1;
  } finally {
    await from.leave((message) => stderr.write(`turn-limit: ${message}\n`));
    await rm(messages, { recursive: true, force: true });
  }
}
