import type { PiEvent } from "./json-lines.ts";

/** A question an extension asks of an RPC client. */
export interface Dialog extends PiEvent {
  type: "extension_ui_request";
  id: string;
  method: "select" | "confirm" | "input" | "editor";
  title: string;
  message?: string;
  options?: string[];
  placeholder?: string;
  timeout?: number;
}

/** A client's answer to a dialog: `confirmed` for confirm, `value` for the others. A yes or a no to a list is its first or last entry. */
export type DialogAnswer = { confirmed: boolean } | { value: string } | { cancelled: true };

/** Answers dialogs as they come; `undefined` leaves one open. */
export type DialogHandler = (dialog: Dialog) => DialogAnswer | undefined | Promise<DialogAnswer | undefined>;

/** A notification of an extension. */
export interface Notification {
  message: string;
  type: string;
}

/** The answer in the form that the dialog takes. */
export function answerTo({ method, options = [] }: Dialog, answer: DialogAnswer): DialogAnswer {
  if (method !== "select" || !("confirmed" in answer)) return answer;
  return { value: options.at(answer.confirmed ? 0 : -1) ?? "" };
}

const dialogMethods: unknown[] = ["select", "confirm", "input", "editor"];

/** Whether an event is a question that waits for an answer. */
export function isDialog(event: PiEvent): event is Dialog {
  return event.type === "extension_ui_request" && dialogMethods.includes(event.method);
}

/** The lines a widget shows after these events, or `undefined` when it is not shown. */
export function widgetIn(events: readonly PiEvent[], key: string): string[] | undefined {
  const last = events.findLast((event) => event.method === "setWidget" && event.widgetKey === key);
  return last?.widgetLines as string[] | undefined;
}

/** The status text an extension shows after these events, or `undefined` when there is none. */
export function statusIn(events: readonly PiEvent[], key: string): string | undefined {
  const last = events.findLast((event) => event.method === "setStatus" && event.statusKey === key);
  return last?.statusText as string | undefined;
}

/** The notifications among these events, in order. */
export function notificationsIn(events: readonly PiEvent[]): Notification[] {
  return events
    .filter((event) => event.method === "notify")
    .map((event) => ({ message: String(event.message), type: String(event.notifyType ?? "info") }));
}
