import type { Boundary, Reply } from "turn-limit";
import { oneLine } from "../../core.ts";
import { nowIn, type Period } from "../../limits/periods.ts";
import { type BoundaryStyle, limitOf } from "../../limits/pi-limits.ts";
import { capitalised, sentence, titleOf, usedText } from "../limit-words.ts";

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

/** An agent below the session, for which a person is asked. */
export interface AskingAgent {
  /** Its task, in a few words. */
  readonly task: string;
  /** What it took of the budget by itself since the prompt, where others draw from it, too. */
  readonly took?: number | undefined;
}

/** What a person is asked for an agent below the session. */
export function questionFor({ task, took }: AskingAgent, ask: Boundary, style: BoundaryStyle): Question {
  const question = questionAbout(ask, style);
  const { title, message } = question;
  const isShared = limitOf(ask).per !== undefined;
  const agent = `Sub-agent ${JSON.stringify(oneLine(task))}`;
  const share = (used: number) =>
    ` This sub-agent took ${usedText({ ...ask, used })} ${used > ask.used ? "in all" : "of it"}.`;
  const ofAll = took === undefined ? "" : share(took);
  return {
    ...question,
    title: `${agent}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    message:
      took === undefined && !isShared
        ? message.replace(/^You've/, "It has")
        : message.replace(/( Continue\?)?$/, (asks) => `${ofAll}${asks}`),
  };
}

/** What a person is asked at the boundary of a limit. */
export function questionAbout(boundary: Boundary, style: BoundaryStyle): Question {
  const { used, max, why } = boundary;
  const limit = limitOf(boundary);
  const { unit, amount, asked, heading, per, goOn = "Continue?" } = limit;
  return {
    style,
    title: heading ?? `${capitalised(titleOf(limit))} reached`,
    message:
      why !== undefined
        ? `${sentence(why)} ${goOn}`
        : style === "menu"
          ? asked(used, max)
          : `${asked(used, max)} Continue?`,
    entries: style === "menu" && why === undefined ? menuEntries(unit, per) : YES_OR_NO,
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

function menuEntries(unit: string, per?: Period): readonly Entry[] {
  return [
    { label: "Continue", reply: true },
    { label: `Continue with a number of ${unit}…` },
    { label: "Wrap up now", reply: "wrap-up" },
    { label: `No limit ${per ? nowIn(per) : "for this run"}`, reply: "unlimited" },
    { label: "Stop", reply: false },
  ];
}

/** Hears what a person does while a question of ours is open. */
export interface Replies {
  /** They replied to it. */
  repliedToUs(): void;
  /** They replied in another dialog. */
  repliedElsewhere(): void;
  /** It closes without a reply. */
  ourQuestionCloses(): void;
}
