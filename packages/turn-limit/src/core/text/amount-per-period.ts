import { UP_TO } from "./percentile.ts";

/** The word before a period: `$20 per day`. */
export const PER = "per";

/** An amount as a person says it: for which period, if it says that, and what follows. All in lower case. */
export interface SaidAmount {
  /** With what it is never above, if it is a percentile: `p90 up to 50`. */
  readonly amount: string;
  /** The word after `per`. */
  readonly per: string | undefined;
  readonly following: readonly string[];
}

/** The amounts in a text: two in `$2, $20 per day`. */
export function amountsIn(text: string): string[] {
  // 1,000 is one number to whoever writes it, and not two amounts.
  const isList = text.includes(",") && !/[0-9],[0-9]/.test(text);
  return isList ? text.split(",").map((part) => part.trim()) : [text];
}

/** The words of one amount: `$20 per day stop`. */
export function saidAmount(text: string): SaidAmount {
  const words = text.trim().toLowerCase().split(/\s+/);
  const hasUpTo = words.slice(1, 3).join(" ") === UP_TO;
  const amount = words.slice(0, hasUpTo ? 4 : 1).join(" ");
  const rest = words.slice(hasUpTo ? 4 : 1);
  if (rest[0] !== PER) return { amount, per: undefined, following: rest };
  return { amount, per: rest[1] ?? "", following: rest.slice(2) };
}
