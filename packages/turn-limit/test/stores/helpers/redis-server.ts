import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "redis";

/** Can a server be started here? */
export const isRedisInstalled = spawnSync("redis-server", ["--version"]).status === 0;

/** A real server on a free port of this machine. */
export class RedisServer {
  readonly port: number;
  readonly folder: string;
  readonly #args: readonly string[];
  #process: ChildProcess;

  private constructor(port: number, folder: string, args: readonly string[], process: ChildProcess) {
    this.port = port;
    this.folder = folder;
    this.#args = args;
    this.#process = process;
  }

  /** Starts one. What it is told beyond the port and the folder are its own options: `["--appendonly", "yes"]`. */
  static async start(args: readonly string[] = []): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), "turn-limit-redis-"));
    // Between looking for a free port and taking it, somebody else may take it.
    for (let tries = 1; ; tries += 1) {
      const port = await freePort();
      const started = await launched(port, folder, args);
      if (started.process) return new RedisServer(port, folder, args, started.process);
      if (tries === 5) throw new Error(`redis-server does not start: ${started.output}`);
    }
  }

  /** Starts a Sentinel, which watches for servers, and keeps no data. */
  static async startSentinel(): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), "turn-limit-sentinel-"));
    const port = await freePort();
    const file = join(folder, "sentinel.conf");
    await writeFile(file, `port ${port}\nbind 127.0.0.1\ndir ${folder}\n`);
    const { process, output } = await ready([file, "--sentinel"], "Sentinel ID is");
    if (!process) throw new Error(`The Sentinel does not start: ${output}`);
    return new RedisServer(port, folder, [], process);
  }

  get address(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Ends it at once, as `kill -9` does. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }

  /** Starts it again on the same port, with whatever is in its folder. */
  async startAgain(): Promise<void> {
    const { process, output } = await launched(this.port, this.folder, this.#args);
    if (!process) throw new Error(`redis-server does not start again: ${output}`);
    this.#process = process;
  }

  pause(): void {
    this.#process.kill("SIGSTOP");
  }

  goOn(): void {
    this.#process.kill("SIGCONT");
  }

  /** Sends commands, one after the other. */
  async send(...commands: string[][]): Promise<unknown[]> {
    const client = createClient({ url: this.address });
    const replies: unknown[] = [];
    try {
      await client.connect();
      for (const command of commands) replies.push(await client.sendCommand(command));
    } finally {
      client.destroy();
    }
    return replies;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function launched(
  port: number,
  folder: string,
  args: readonly string[],
): Promise<{ process?: ChildProcess; output: string }> {
  const own = [
    "--port",
    `${port}`,
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--save",
    "",
    "--daemonize",
    "no",
  ];
  return ready([...own, ...args], "Ready to accept connections");
}

/** Starts a server, which says by this that it is ready, or tells what it said before it ended. */
async function ready(
  args: readonly string[],
  sign: string,
): Promise<{ process?: ChildProcess; output: string }> {
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "pipe"] });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.removeListener("exit", end));
  let output = "";
  const isReady = await new Promise<boolean>((resolve) => {
    child.stdout.on("data", (data) => {
      output += data;
      if (output.includes(sign)) resolve(true);
    });
    child.once("exit", () => resolve(false));
  });
  child.stdout.removeAllListeners("data").resume();
  child.stderr.resume();
  return isReady ? { process: child, output } : { output };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
