/** How a person is told and asked elsewhere. It is loaded where they have set it. */
export { openNotifier } from "../../turn-limit/src/notify/open-notifier.ts";
export { readNotify } from "../../turn-limit/src/notify/settings.ts";
export { watchRun } from "../../turn-limit/src/notify/watch-run.ts";
