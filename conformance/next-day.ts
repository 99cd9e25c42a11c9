import { createPool, memoryStore } from "../packages/turn-limit/src/index.ts";
import type { Contender, Seen, Trial } from "./contender.ts";

const NOON = Date.UTC(2026, 0, 1, 12);
const DAY = 86_400_000;

/**
 * Plays turn-limit with a limit of the day that a run waits for: the day passes as soon as it does. The reason says how
 * often that was.
 */
export async function playToNextDay(contender: Contender, trial: Trial): Promise<Seen | string> {
  let days = 0;
  const store = memoryStore({ now: () => NOON + days * DAY });
  const turns = { max: trial.turns ?? "unlimited", onExhausted: "wait" } as const;
  const pool = createPool({ id: "day", turns, per: "day", zone: "UTC", lookEvery: 1, store });
  const asked = () => {
    days += 1;
  };
  const seen = await contender.play({ ...trial, pool, observe: { asked } });
  if (typeof seen === "string") return seen;
  return { ...seen, reason: `waited ${days === 1 ? "once" : `${days} times`}; ${seen.reason}` };
}
