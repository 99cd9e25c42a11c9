import { isInvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Notifier } from "../../notify/notifier.ts";
import { type NotifySettings, readNotify } from "../../notify/settings.ts";
import type { Env } from "../../notify/variables.ts";
import { wrongInput } from "../command-error.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Notices } from "./notices.ts";

/** Reads what was typed as `--notify` and `--notify-on`. `asks`: can there be questions in this run? */
export function readNotifyOptions(
  given: {
    readonly places: readonly string[] | undefined;
    readonly on: string | undefined;
    readonly asks: boolean;
  },
  env: Env,
): NotifySettings | undefined {
  const { places, on, asks } = given;
  const settings = checked(() =>
    readNotify(
      { places: { value: places, source: "--notify" }, on: { value: on, source: "--notify-on" } },
      env,
    ),
  );
  if (places && !asks && on === undefined)
    throw wrongInput(
      "--notify would tell nothing: no question is asked in this run. Say what is told: --notify-on end, budget or idle=10m.",
    );
  return settings;
}

/** Opens the notifications of a run, if any are wanted. */
export async function openNotifications(
  {
    notify,
    launcher,
  }: { readonly notify: NotifySettings | undefined; readonly launcher: { readonly name: string } },
  { env }: Pick<Surroundings, "env">,
  { name, folder }: { readonly name: string; readonly folder: string },
  notices: Notices,
): Promise<Notifier | undefined> {
  if (!notify) return undefined;
  const { openNotifier } = await import("../../notify/open-notifier.ts");
  return openNotifier({
    ...notify,
    run: { title: name, facts: { agent: launcher.name, folder } },
    env,
    warn: (message) => notices.tell(message),
  });
}

function checked<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw isInvalidLimit(error) ? wrongInput(error.message) : error;
  }
}
