import { NotifyCommand } from "./by-command.ts";
import { type Channel, TIMING } from "./channel.ts";
import { Notifier, type NotifyingRun } from "./notifier.ts";
import { Ntfy } from "./ntfy/ntfy.ts";
import { Requests } from "./requests.ts";
import type { NotifySettings } from "./settings.ts";
import { Webhook } from "./webhook.ts";

/** What notifications are opened with. */
export interface NotifierOptions extends Omit<NotifySettings, "on"> {
  readonly run: NotifyingRun;
  /** Where the proxies of the environment are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tells a person what does not work. */
  readonly warn: (message: string) => void;
  /** How long things may take, where that is not as usual. */
  readonly timing?: Partial<typeof TIMING> | undefined;
}

/**
 * Opens the places to which the notifications of a run go. Nothing is sent yet.
 *
 * ```ts
 * const settings = readNotify(
 *   { places: { value: "ntfy://ntfy.sh/my-topic", source: "notify" }, on: { value: ["end"], source: "notifyOn" } },
 *   process.env,
 * );
 * if (!settings) return; // nothing is wanted
 * const notifier = openNotifier({ ...settings, run: { title: "Pi in ~/site", facts: {} }, env: process.env, warn });
 * notifier.places; // ask a question in each of them, besides other places
 * watchRun(notifier, settings.on, () => run.standings); // an observer of the run: tells of budgets and idleness
 * if (settings.on.end) notifier.tell("end", "The run: stopped at 25/25 turns.");
 * await notifier.done(); // waits for a few seconds at most
 * notifier.close();
 * ```
 */
export function openNotifier(options: NotifierOptions): Notifier {
  const timing = { ...TIMING, ...options.timing };
  const requests = new Requests(options.env);
  const channels = options.targets.map((target): Channel => {
    if (target.kind === "ntfy") return new Ntfy(target, requests, options.token, timing);
    if (target.kind === "command") return new NotifyCommand(target.line, timing);
    return new Webhook(target.address, requests, options.secret, timing);
  });
  return new Notifier(channels, options.run, options.warn, timing);
}
