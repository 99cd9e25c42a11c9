import type { Boundary, Reply } from "turn-limit";
import { type BoundaryStyle, type LimitTable, limitCalled } from "../../limits/pi-limits.ts";
import { capitalised, titleOf } from "../limit-words.ts";

/** A way to answer a question. */
export interface Entry {
  readonly label: string;
  /** Left out where an amount is asked for first. */
  readonly reply?: Reply;
}

/** What a person is asked at the boundary. */
export interface Question {
  readonly style: BoundaryStyle;
  /** For example `Turn limit reached`. */
  readonly title: string;
  /** For example `You've used 25 turns. Continue?` */
  readonly message: string;
  /** The ways to answer, the first of which is the yes. */
  readonly entries: readonly Entry[];
  /** Asks for an amount: `How many more turns?` */
  readonly amountAsked: string;
  /** For example `Use an amount above zero, for example 10.` */
  readonly amountToUse: string;
  /** What an amount looks like, for example `10`, `50k`, `$2` or `5m`. */
  readonly example: string;
  /** Reads an amount; `undefined` if it is not one, or zero. */
  parseAmount(text: string): number | undefined;
  /** What was wrong with a text that is no amount. */
  notAnAmount(text: string): string;
}

/** What a person is asked at the boundary of a limit. */
export function questionAbout(
  { limit, used, max }: Boundary,
  style: BoundaryStyle,
  table?: LimitTable,
): Question {
  const { unit, amount, asked, heading } = limitCalled(limit, table);
  return {
    style,
    title: heading ?? `${capitalised(titleOf(limit, table))} reached`,
    message: style === "menu" ? asked(used, max) : `${asked(used, max)} Continue?`,
    entries: style === "menu" ? menuEntries(unit) : YES_OR_NO,
    amountAsked: `How many more ${unit}?`,
    amountToUse: `Use an amount above zero, for example ${amount.example}.`,
    example: amount.example,
    parseAmount: (text) => {
      const more = amount.parseMore ? amount.parseMore(text) : amount.parse(text);
      return more === undefined || more === 0 ? undefined : more;
    },
    notAnAmount: (text) => `${JSON.stringify(text)} is not a number of ${unit}.`,
  };
}

const YES_OR_NO: readonly Entry[] = [
  { label: "Yes", reply: true },
  { label: "No", reply: false },
];

function menuEntries(unit: string): readonly Entry[] {
  return [
    { label: "Continue", reply: true },
    { label: `Continue with a number of ${unit}…` },
    { label: "Wrap up now", reply: "wrap-up" },
    { label: "No limit for this run", reply: "unlimited" },
    { label: "Stop", reply: false },
  ];
}
