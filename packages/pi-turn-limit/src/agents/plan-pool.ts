import type { Store } from "turn-limit";
import { type ManagedPool, managedPool, SUBSCRIPTIONS } from "../core.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { WAIT } from "../limits/setting.ts";
import type { HandedWindow } from "./handed-down.ts";

/** Whose subscription answers with which provider of Pi's. Of others it is not known, so any that is told of counts. */
const SUBSCRIPTION_OF: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  "openai-codex": "openai",
};

/** A limit of a window that a session draws from. */
export interface DrawnWindow extends HandedWindow {
  readonly policies: object;
}

/**
 * The limits of windows, a session's own and those that were handed down: of two for the same window, the lower one. An agent
 * below that would be stopped answers without tools, as at its other limits.
 */
export function windowsBeside(handed: readonly HandedWindow[], own: LimitValues["plan"]): DrawnWindow[] {
  const ofAbove = handed.map((window): DrawnWindow => {
    const onExhausted = window.waits ? WAIT : "ask";
    return { ...window, policies: { onExhausted, headless: "synthesize" } };
  });
  const ofOwn = Object.entries(own).flatMap(([window, { max, ...policies }]): DrawnWindow[] =>
    max === "unlimited"
      ? []
      : [{ window, max, ...(policies.onExhausted === WAIT && { waits: true }), policies }],
  );
  const lower = (one: DrawnWindow, others: readonly DrawnWindow[], orSame: boolean) =>
    others.every(({ window, max }) => window !== one.window || one.max < max || (orSame && one.max === max));
  return [
    ...ofOwn.filter((one) => lower(one, ofAbove, true)),
    ...ofAbove.filter((one) => lower(one, ofOwn, false)),
  ];
}

/**
 * The pool of what providers told of the windows of subscriptions, for everything that the person does; none without a
 * limit. `provider`: the one of the model in use.
 */
export function planPools(
  windows: readonly DrawnWindow[],
  provider: string | undefined,
  store: Store,
): ManagedPool[] {
  if (windows.length === 0) return [];
  const plan = Object.fromEntries(windows.map(({ window, max, policies }) => [window, { max, ...policies }]));
  const subscription = SUBSCRIPTION_OF[provider ?? ""];
  const whose = subscription === undefined ? {} : { subscription };
  return [managedPool({ id: SUBSCRIPTIONS, plan, ...whose, identity: {}, store, unreachable: "ask" })];
}
