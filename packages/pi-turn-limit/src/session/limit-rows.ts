import { homedir } from "node:os";
import { sep } from "node:path";
import type { Boundary } from "turn-limit";
import { allowedText, formatLimit, parseWholeLimit } from "../config/limit-text.ts";
import { limitsIn } from "../config/settings.ts";
import { maxText } from "../limits/amounts.ts";
import { type LimitTable, type PiLimit, pathOf } from "../limits/pi-limits.ts";
import { usedText } from "../ui/limit-words.ts";
import type { LimitRow } from "../ui/limits-panel/limit-row.ts";
import { shareOf } from "../ui/share.ts";
import type { GovernedSession } from "./governed-session.ts";
import type { LimitsInForce } from "./limits-in-force.ts";

type LimitsShown = Pick<LimitsInForce, "values" | "sourceOf" | "choose">;
type SessionShown = Pick<GovernedSession, "standings" | "totals">;

/** Every limit as `/limits` shows it, and how it is changed there. */
export function limitRows(limits: LimitsShown, session: SessionShown, table?: LimitTable): LimitRow[] {
  return limitsIn(limits.values, table).map((limit) => rowOf(limit, limits, session, table));
}

/** Where a limit stands, whether it has a maximum or not. */
export function standingOf({ key, total }: PiLimit, { standings, totals }: SessionShown): Boundary {
  const standing = standings.find(({ limit }) => limit === key);
  return standing ?? { limit: key, used: totals ? total(totals) : 0, max: "unlimited" };
}

function rowOf(limit: PiLimit, limits: LimitsShown, session: SessionShown, table?: LimitTable): LimitRow {
  const standing = standingOf(limit, session);
  const text = formatLimit(limit, limits.values);
  const allowed = allowedText(limit);
  return {
    key: limit.key,
    label: limit.rowLabel ?? limit.label,
    used: usedText(standing, table),
    max: maxText(limit.amount, standing.max),
    share: shareOf(standing),
    source: shortPath(limits.sourceOf([...pathOf(limit.key), "max"], limit.command)),
    policy: text.split(" ").slice(1).join(" "),
    text,
    allowed,
    set: (given) => {
      const settings = parseWholeLimit(limit, given);
      if (!settings) return `Allowed: ${allowed}; not ${JSON.stringify(given.trim())}.`;
      limits.choose(settings);
      return undefined;
    },
  };
}

function shortPath(source: string): string {
  return source.replace(`, ${homedir()}${sep}`, `, ~${sep}`);
}
