import { once } from "node:events";
import { chmodSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { messageOf } from "../core/errors/message-of.ts";
import type { Start } from "./launcher.ts";

/** An agent that is about to be started somewhere below a run. */
export interface AboutToStart extends Start {
  /** What it is called on the command line: `codex`. */
  readonly program: string;
  /** The folder in which it is started. */
  readonly folder: string;
}

/** How it is to be started, or why it must not be. */
export type LaunchReply = { readonly start: Start } | { readonly problem: string };

/** Tells programs below a run how agents are to be started, at a path that only the person can open. */
export async function openLaunchService(
  path: string,
  launch: (start: AboutToStart) => Promise<LaunchReply>,
): Promise<{ close(): void }> {
  const reply = async (socket: Socket) => {
    const answer = await launch(JSON.parse(await allOf(socket)));
    socket.end(JSON.stringify(answer));
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    reply(socket).catch((error) => socket.end(JSON.stringify({ problem: messageOf(error) })));
  });
  await once(server.listen(path), "listening");
  if (process.platform !== "win32") chmodSync(path, 0o600);
  // An agent that is never started does not keep the run from its end.
  server.unref();
  return { close: () => void server.close() };
}

/** Asks the service at `path`. Rejects if there is none any more. */
export async function askToLaunch(path: string, start: AboutToStart): Promise<LaunchReply> {
  const socket = connect(path);
  socket.end(JSON.stringify(start));
  return JSON.parse(await allOf(socket));
}

// Not by an iterator: in older versions of Node that closes the connection before the reply.
async function allOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  await once(socket, "end");
  return Buffer.concat(chunks).toString();
}
