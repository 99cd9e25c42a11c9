import { PERCENT, PLAN, quoted } from "../core.ts";
import { type LimitFamily, type PiLimit, PLAN_KEY } from "./pi-limit.ts";
import { BEFORE_TURNS, fixedMaximum, policiesOfStartingOver } from "./setting.ts";

const COMMAND = "plan-limit";
const FLAG = "max-plan";
const ENV = "PI_MAX_PLAN";

const WINDOW = /^[1-9][0-9]*[mhd]$/;

/** Is it the length of a window? */
export function isWindow(name: unknown): boolean {
  return typeof name === "string" && WINDOW.test(name);
}

function windowOf(window: string) {
  return {
    key: `${PLAN_KEY} per ${window}`,
    kind: PLAN_KEY,
    member: window,
    label: `Plan ${window}`,
    rowLabel: `Plan per ${window}`,
    noun: PLAN.noun,
    unit: "percent",
    settings: { max: fixedMaximum(PERCENT), ...policiesOfStartingOver(BEFORE_TURNS) },
    about: "How much of this window of a subscription may be used.",
    example: ["80%", "wait"],
    command: `${COMMAND} ${window}`,
    suggestions: ["50%", "80%", "80% stop", "80% wait", "unlimited"],
    heading: `plan limit per ${window} reached`,
    goOn: "Go on without this limit until it starts over?",
    asked: (used) => `${PERCENT.show(used)} of your plan's ${window} are used.`,
    remedy: `To allow more, use --${FLAG}, ${ENV} or "${PLAN_KEY}" in turn-limit.json.`,
    total: () => 0,
  } as const satisfies PiLimit;
}

/** The windows of a subscription: how much of them is used is told by the provider, for everything that a person does. */
export const planFamily = {
  key: PLAN_KEY,
  noun: "plan window",
  offered: "plan",
  about: "How much of the windows of a subscription may be used, by their lengths: 5h, 7d.",
  example: "5h",
  command: COMMAND,
  flag: FLAG,
  env: ENV,
  names: ["5h", "7d"],
  namePattern: WINDOW.source,
  whyNoMember: (window) =>
    isWindow(window) ? undefined : `Use a window and per cent, such as 5h 80%, not ${quoted(window)}.`,
  member: windowOf,
} as const satisfies LimitFamily;
