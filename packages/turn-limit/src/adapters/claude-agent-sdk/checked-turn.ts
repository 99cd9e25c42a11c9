import { limitError, type Stop } from "../../core/governor/decision.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";

/** The program says only later whether it made the request, so the second count is looked at before. */
export function checked(turn: Turn | TurnStop): Turn | TurnStop {
  if (turn.kind === "stop" || !turn.tools || !turn.wouldOverrun) return turn;
  const stop: Stop | undefined = turn.sent();
  return stop ? { ...stop, error: limitError(stop) } : turn;
}
