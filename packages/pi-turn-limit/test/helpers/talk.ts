import type { DialogAnswer, Notification, RpcPi, TuiPi } from "@turn-limit/rig";

export const yes: DialogAnswer = { confirmed: true };
export const no: DialogAnswer = { confirmed: false };
export const dismissed: DialogAnswer = { cancelled: true };

/** Gives these answers to the questions that come, in order, and leaves any further one open. */
export function answerInTurn(pi: RpcPi, ...answers: DialogAnswer[]): void {
  pi.onDialog(() => answers.shift());
}

/** Prompts, and waits until Pi has come to rest. */
export async function work(pi: RpcPi, prompt: string): Promise<void> {
  await pi.prompt(prompt);
  await pi.settled();
}

/** Waits until the counter of a run that has begun is taken away: Pi has come to rest. Returns the screen. */
export function cameToRest(pi: TuiPi): Promise<string> {
  return pi.waitUntilGone(/^ Turns: /m);
}

/** Sends a slash command and gives the notification it is answered with. */
export async function tell(pi: RpcPi, command: string): Promise<Notification> {
  const earlier = pi.notifications.length;
  await pi.prompt(command);
  await pi.waitFor(() => pi.notifications.length > earlier);
  return pi.notifications[earlier] as Notification;
}

/** What `/turn-limit` says: the limit, where it came from and the count. */
export async function limitInForce(pi: RpcPi): Promise<string> {
  return (await tell(pi, "/turn-limit")).message;
}

/** Every line the counter has shown so far, in order; `undefined` where it was taken away. */
export function counterLines(pi: RpcPi): (string | undefined)[] {
  return pi.events
    .filter((event) => event.method === "setWidget" && event.widgetKey === "turn-limit")
    .map((event) => (event.widgetLines as string[] | undefined)?.join("\n"));
}

/** The questions asked so far, as a person reads them. A list of another extension has no sentence below its title. */
export function questions(pi: RpcPi): string[] {
  return pi.events.flatMap(({ method, title, message }) => {
    if (method === "confirm") return [`${title}: ${message}`];
    return method === "select" && `${title}`.includes("\n") ? [`${title}`.replace("\n", ": ")] : [];
  });
}
