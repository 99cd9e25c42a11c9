import type { Check } from "../core/checks.ts";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { DURATION } from "../core/text/amounts.ts";
import { LONGEST_TIMER } from "../run/clock.ts";
import { readTarget, shownTarget, TARGETS, type Target } from "./target.ts";
import { type Env, NOTIFY } from "./variables.ts";
import type { Occasions } from "./watch-run.ts";

/** What a person is told, and where. `openNotifier` takes it. */
export interface NotifySettings {
  readonly targets: readonly Target[];
  readonly on: Occasions;
  /** For servers of ntfy. */
  readonly token: string | undefined;
  /** Signs what webhooks get. */
  readonly secret: string | undefined;
}

/** What a person set, or `undefined`; and what it is called in messages: `--notify`, `notify in turn-limit.json`. */
export interface Given {
  readonly value: unknown;
  readonly source: string;
}

/**
 * Reads what a person set, in an option, a file or a variable. `undefined`: nothing is to be told, as no place is set.
 * Throws an `InvalidLimit` whose message names the source, the value and what is allowed. A place can be a command:
 * what comes with a project must not set one.
 */
export function readNotify(
  { places, on }: { readonly places: Given; readonly on: Given },
  env: Env,
): NotifySettings | undefined {
  const { value, source } =
    places.value === undefined ? { value: env[NOTIFY.place] || [], source: NOTIFY.place } : places;
  const targets = checkPlaces(value, source);
  const occasions = checkOccasions(on.value ?? [], on.source);
  if (targets.length > 0)
    return { targets, on: occasions, token: tokenFor(targets, env), secret: env[NOTIFY.secret] || undefined };
  if (occasions.budget || occasions.end || occasions.idle !== undefined)
    throw new InvalidLimit(
      on.source,
      on.value,
      "set with a place",
      `${on.source} ${wordsIn(on.value)} needs a place: ntfy://HOST/TOPIC in ${places.source}, or in the variable ${NOTIFY.place}.`,
    );
  return undefined;
}

/** Where notifications go: a place, or a list of places. */
export const checkPlaces: Check<Target[]> = (value, source) =>
  [value].flat().map((place) => {
    if (typeof place !== "string") throw new InvalidLimit(source, value, PLACES);
    const target = readTarget(place);
    if (typeof target !== "string") return target;
    const shown = shownTarget(place);
    throw new InvalidLimit(source, shown, PLACES, `${JSON.stringify(shown)} from ${source} ${target}`);
  });

const PLACES = `a place such as ntfy://ntfy.sh/my-topic, or a list of such: ${TARGETS}`;

/** What is told besides questions: `budget,end,idle=10m`, or a list of such words. */
export const checkOccasions: Check<Occasions> = (value, source) => {
  const words = (typeof value === "string" ? value.split(",") : [value]).flat();
  let idle: number | undefined;
  for (const word of words) {
    if (typeof word !== "string") throw new InvalidLimit(source, value, OCCASIONS);
    if (isIn(word, "budget") || isIn(word, "end")) continue;
    const [, time] = /^idle=(.+)$/.exec(word.trim()) ?? [];
    idle = time === undefined ? undefined : DURATION.parse(time);
    if (idle === undefined || idle <= 0 || idle > LONGEST_TIMER)
      throw new InvalidLimit(
        source,
        word,
        OCCASIONS,
        `${JSON.stringify(word.trim())} from ${source} is nothing to be told of. Use ${OCCASIONS}.`,
      );
  }
  const has = (occasion: string) => words.some((word) => isIn(String(word), occasion));
  return { budget: has("budget"), end: has("end"), idle };
};

const OCCASIONS = "budget, end and idle=TIME, such as budget,end,idle=10m";

function isIn(word: string, occasion: string): boolean {
  return word.trim() === occasion;
}

function wordsIn(value: unknown): string {
  return [value].flat().join(",");
}

// It goes to one server, and to no other one by mistake.
function tokenFor(targets: readonly Target[], { [NOTIFY.token]: token }: Env): string | undefined {
  if (!token) return undefined;
  const refuse = (why: string) => {
    throw new InvalidLimit(NOTIFY.token, "…", "a token of one server of ntfy", `${NOTIFY.token} is ${why}.`);
  };
  if (!/^[\x21-\x7e]+$/.test(token))
    refuse("not a token of ntfy: it has spaces, or letters that no token has");
  const hosts = new Set(targets.flatMap((target) => (target.kind === "ntfy" ? [target.server.origin] : [])));
  if (hosts.size > 1) refuse(`for one server of ntfy, and the places are on ${[...hosts].join(" and ")}`);
  return token;
}
