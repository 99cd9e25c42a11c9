import type { PiEvent } from "./json-lines.ts";
import type { Dialog, DialogAnswer, DialogHandler, Notification } from "./rpc-ui.ts";

/** A command to Pi; the driver gives it its id. */
export interface RpcCommand {
  type: string;
  [field: string]: unknown;
}

/** Pi's response to a command. */
export interface RpcResponse extends PiEvent {
  type: "response";
  id?: string;
  command: string;
  success: boolean;
  error?: string;
  data?: unknown;
}

/** Further fields of a prompt, such as what to do while a run is under way. */
export interface PromptFields {
  streamingBehavior?: "steer" | "followUp";
}

/** A Pi in RPC mode. */
export interface RpcPi extends AsyncDisposable {
  /** Everything received so far except responses, in order. */
  readonly events: readonly PiEvent[];
  /** The notifications shown so far. */
  readonly notifications: Notification[];
  readonly stderr: string;
  /** Sends a command and waits for its response, whether it succeeded or not. */
  send(command: RpcCommand, timeoutMs?: number): Promise<RpcResponse>;
  /** Sends a prompt; resolves when Pi has accepted it, not when it is done. */
  prompt(message: string, more?: PromptFields): Promise<RpcResponse>;
  steer(message: string): Promise<RpcResponse>;
  followUp(message: string): Promise<RpcResponse>;
  abort(): Promise<RpcResponse>;
  /** The next matching event after the one that the last `waitFor` found, received already or not. */
  waitFor(predicate: (event: PiEvent) => boolean, timeoutMs?: number): Promise<PiEvent>;
  /** The next dialog after the one that the last `nextDialog` found, answered or not. */
  nextDialog(timeoutMs?: number): Promise<Dialog>;
  /** Waits until Pi has come to rest after the last prompt, steering or follow-up message. */
  settled(timeoutMs?: number): Promise<PiEvent>;
  /** Answers every dialog from now on; replaces the handler before. */
  onDialog(handler: DialogHandler): void;
  answer(dialog: Dialog, payload: DialogAnswer): void;
  /** The lines a widget shows now, or `undefined` when it is not shown. */
  widget(key: string): string[] | undefined;
  /** The status text shown now under a key. */
  status(key: string): string | undefined;
  /** Shuts Pi down, by force if it does not exit. */
  close(): Promise<void>;
}

/** The response, if it reports success; otherwise an error with Pi's reason. */
export function succeeded(response: RpcResponse): RpcResponse {
  if (response.success) return response;
  throw new Error(`Pi refused ${response.command}: ${response.error ?? "no reason given"}`);
}
