import type { Reply } from "../../core/governor/decision.ts";
import type { ExtensionRound } from "../../core/governor/run-state.ts";
import type { LimitIdentity, Max } from "../../core/limits/boundary.ts";
import { builtIn, kindOf } from "../../core/limits/kinds.ts";
import { MEASURES } from "../../core/measures/measures.ts";
import { sentence } from "../../core/words.ts";
import type { Grant } from "../ledger/grants.ts";
import { maxFromUnits } from "../units.ts";

// What is said of what was done to a run from elsewhere.

/** What a reply was about. */
interface Asked {
  limit: string;
  identity?: LimitIdentity | undefined;
  max: Max;
  round?: Max | undefined;
}

/** A reply in words: `yes, another 25 turns`. */
export function replyText(reply: Reply, asked: Asked): string {
  const { limit, identity = builtIn(limit) } = asked;
  if (reply === false) return "no";
  if (reply === "wrap-up") return "wrap up";
  if (reply === "unanswered") return "nobody answered";
  const kind = identity && kindOf(identity);
  if (!kind) return "yes";
  if (reply === "unlimited") return `yes, without this limit`;
  if (reply === true) return ["yes", anotherText(asked)].filter((part) => part !== undefined).join(", ");
  return `yes, ${amountOf(identity, reply.more, " more")}`;
}

/** What a yes allows: `another 25 turns`. `undefined`: that is no amount. */
export function anotherText(asked: Asked): string | undefined {
  const { limit, identity = builtIn(limit), max, round = max } = asked;
  const isAmount = identity && kindOf(identity) && round !== "unlimited" && round !== 0;
  return isAmount ? `another ${amountOf(identity, round)}` : undefined;
}

/** An amount of what a limit measures: `25 turns`, `$5.00`, `10 more calls of bash`. */
function amountOf(identity: LimitIdentity | undefined, amount: Max, more = ""): string {
  if (amount === "unlimited") return "an unlimited amount";
  const measure = (identity && kindOf(identity)?.measure) ?? "turns";
  const shown = `${MEASURES[measure].show(amount, "unlimited")}${more}`;
  if (identity?.tool !== undefined) return `${shown} ${amount === 1 ? "call" : "calls"} of ${identity.tool}`;
  if (measure === "cost" || measure === "time") return shown;
  return `${shown} ${amount === 1 ? measure.replace(/s$/, "") : measure}`;
}

/** `Answered on the phone: yes, another 25 turns.` */
export function answeredText(where: string | undefined, reply: Reply, asked: Asked): string {
  return `Answered ${where ?? "elsewhere"}: ${replyText(reply, asked)}.`;
}

/** What is said to a person whose answer came after another one. */
export function tooLateText(where: string | undefined, reply: Reply, asked: Asked): string {
  return `Too late: it was answered ${where ?? "elsewhere"}: ${replyText(reply, asked)}.`;
}

/** `Frozen on the phone: It is late.` */
export function frozenText({ where, why }: { where?: string; why: string }): string {
  return doneText("Frozen", where, why);
}

/** `Stopped on the phone.` */
export function stoppedText({ where, why }: { where?: string; why: string }): string {
  return doneText("Stopped", where, why);
}

export function unfrozenText(where?: string): string {
  return doneText("Unfrozen", where, "");
}

/** `Allowed on the phone: 10 more turns.` */
export function extendedText(where: string | undefined, measure: string, by: Max): string {
  const amount = by === "unlimited" ? "no limit" : amountOf(builtIn(measure), by, " more");
  return `Allowed ${where ?? "elsewhere"}: ${by === "unlimited" ? `${amount} of ${measure}` : amount}.`;
}

/** `another 25 turns: 3 files changed` */
function roundText({ limit, identity, by, what }: ExtensionRound): string {
  const amount = kindOf(identity) ? amountOf(identity, by) : `round of ${limit}`;
  return `another ${amount}${what === undefined ? "" : `: ${what}`}`;
}

/** `Extended by itself: another 25 turns: 3 files changed.` */
export function extendedItselfText(where: string, round: ExtensionRound): string {
  return `Extended ${where}: ${sentence(roundText(round))}`;
}

function doneText(done: string, where: string | undefined, why: string): string {
  // Where nobody said why, the agents of a pool are told where.
  const isSaid = why === "" || why === where;
  return sentence(`${done}${where === undefined ? "" : ` ${where}`}${isSaid ? "" : `: ${why}`}`);
}

/** What a person decided, in words: `yes, another 25 turns`, `10 more turns`, `freeze: It is late.` */
export function grantText({ did, reply, question, measure = "", by, why, round }: Grant): string {
  if (round) return roundText(round);
  if (did === "answer" && reply !== undefined) return replyText(reply, question ?? { limit: "", max: 0 });
  if (did === "extend" && by !== undefined)
    return by === "unlimited"
      ? `no limit of ${measure}`
      : amountOf(builtIn(measure), maxFromUnits(measure, by), " more");
  return why ? `${did}: ${why}` : did;
}
