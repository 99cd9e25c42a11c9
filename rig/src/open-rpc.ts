import { spawn } from "node:child_process";
import { once } from "node:events";
import { collect } from "./collect.ts";
import { type Deferred, deferred } from "./deferred.ts";
import { endProcess, grace, hasEnded } from "./end-process.ts";
import { EventLog } from "./event-log.ts";
import { jsonLines, type PiEvent } from "./json-lines.ts";
import { type PiOptions, piCommand } from "./pi-command.ts";
import { type RpcCommand, type RpcPi, type RpcResponse, succeeded } from "./rpc-types.ts";
import {
  answerTo,
  type Dialog,
  type DialogAnswer,
  type DialogHandler,
  isDialog,
  notificationsIn,
  statusIn,
  widgetIn,
} from "./rpc-ui.ts";
import { patience, within } from "./within.ts";

/**
 * Starts Pi in RPC mode and speaks with it.
 *
 * @example
 * await using pi = await openRpc({ host, sandbox, args: ["-e", extension] });
 * await pi.prompt("Go on.");
 * await pi.settled();
 */
export async function openRpc(options: PiOptions): Promise<RpcPi> {
  const command = piCommand({ ...options, args: ["--mode", "rpc", ...(options.args ?? [])] });
  const child = spawn(command.file, command.args, { cwd: command.cwd, env: command.env });
  const stderr = collect(child.stderr);
  const log = new EventLog();
  const responses = new Map<string, Deferred<RpcResponse>>();
  let commandsSent = 0;
  let cursor = 0;
  let dialogCursor = 0;
  let runStart = 0;
  let handleDialog: DialogHandler | undefined;

  const write = (record: object) => child.stdin.write(`${JSON.stringify(record)}\n`);
  const answer = (dialog: Dialog, payload: DialogAnswer) => {
    write({ type: "extension_ui_response", id: dialog.id, ...answerTo(dialog, payload) });
  };

  function receive(record: PiEvent): void {
    if (record.type === "response") {
      const response = record as RpcResponse;
      responses.get(response.id ?? "")?.resolve(response);
    } else {
      log.add(record);
      if (isDialog(record)) void offer(record);
    }
  }

  async function offer(dialog: Dialog): Promise<void> {
    const payload = await handleDialog?.(dialog);
    if (payload !== undefined) answer(dialog, payload);
  }

  function giveUp(reason: string): void {
    const error = new Error(`${options.host.name} ${reason}; stderr: ${stderr()}`);
    log.end(error);
    for (const response of responses.values()) response.reject(error);
  }

  child.stdout.on("data", jsonLines(receive));
  child.on("error", (error) => giveUp(`could not be started: ${error.message}`));
  child.on("close", (code, signal) => giveUp(`ended with ${code ?? signal}`));
  // If Pi has exited, its exit is reported, with its last output.
  child.stdin.on("error", () => {});

  async function send(command: RpcCommand, timeoutMs = patience): Promise<RpcResponse> {
    const id = `rig-${++commandsSent}`;
    const response = deferred<RpcResponse>();
    responses.set(id, response);
    write({ ...command, id });
    try {
      return await within(response.promise, timeoutMs, () => `No response to ${command.type}`);
    } finally {
      responses.delete(id);
    }
  }

  async function sendMessage(command: RpcCommand): Promise<RpcResponse> {
    runStart = log.events.length;
    return succeeded(await send(command));
  }

  async function close(): Promise<void> {
    if (hasEnded(child)) return;
    const exited = once(child, "exit");
    child.stdin.end();
    await within(exited, grace, () => "Pi did not shut down").catch(() => endProcess(child));
  }

  const pi: RpcPi = {
    events: log.events,
    get notifications() {
      return notificationsIn(log.events);
    },
    get stderr() {
      return stderr();
    },
    send,
    prompt: (message, more = {}) => sendMessage({ type: "prompt", message, ...more }),
    steer: (message) => sendMessage({ type: "steer", message }),
    followUp: (message) => sendMessage({ type: "follow_up", message }),
    abort: async () => succeeded(await send({ type: "abort" })),
    waitFor: async (predicate, timeoutMs = patience) => {
      const { event, position } = await log.find(predicate, cursor, timeoutMs);
      cursor = position + 1;
      return event;
    },
    nextDialog: async (timeoutMs = patience) => {
      const { event, position } = await log.find(isDialog, dialogCursor, timeoutMs);
      dialogCursor = position + 1;
      return event as Dialog;
    },
    settled: async (timeoutMs = patience) => {
      return (await log.find((event) => event.type === "agent_settled", runStart, timeoutMs)).event;
    },
    onDialog: (handler) => {
      handleDialog = handler;
    },
    answer,
    widget: (key) => widgetIn(log.events, key),
    status: (key) => statusIn(log.events, key),
    close,
    [Symbol.asyncDispose]: close,
  };

  try {
    succeeded(await send({ type: "get_state" }));
    return pi;
  } catch (error) {
    await close();
    throw error;
  }
}
