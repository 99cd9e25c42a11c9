import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause } from "../../../src/run/pause.ts";
import { RedisServer } from "../helpers/redis-server.ts";
import { type Played, playAnswers } from "./play.ts";

/** Questions in a new file. */
export async function playOnSqlite(questions: number): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-answers-"));
  try {
    return await playAnswers(join(folder, "runs.sqlite"), questions);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Questions on a server of its own, whose connections are cut, whose scripts are flushed, and which is stopped for a while and
 * killed. It comes back with all that it had answered.
 */
export async function playOnRedis(questions: number): Promise<Played> {
  await using server = await RedisServer.start(["--appendonly", "yes", "--appendfsync", "always"]);
  const send = async (...command: string[]) => {
    await server.send(command).catch(() => undefined);
  };
  const cut = () => send("CLIENT", "KILL", "TYPE", "normal");
  return await playAnswers(server.address, questions, [
    cut,
    cut,
    () => send("SCRIPT", "FLUSH"),
    async () => {
      await server.kill();
      await server.startAgain();
    },
    async () => {
      server.pause();
      await pause(300);
      server.goOn();
    },
  ]);
}
