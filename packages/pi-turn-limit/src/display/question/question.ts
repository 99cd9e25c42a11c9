import type { Ask, Boundary, Max, Reply } from "turn-limit";
import {
  CONTINUE,
  CONTINUE_NOW,
  capitalised,
  DOLLARS,
  DURATION,
  extensionText,
  goesOnText,
  oneLine,
  sentence,
} from "../../core.ts";
import { limitOf } from "../../limits/limit-of.ts";
import { nowIn, type Period } from "../../limits/periods.ts";
import { type PiLimit, PLAN_KEY, titleOf, type Who } from "../../limits/pi-limit.ts";
import type { BoundaryStyle } from "../../limits/pi-limits.ts";
import { usedText } from "../limit-words.ts";
import { smallerAmount } from "./smaller-amount.ts";

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

/** A boundary that a person is asked about. */
export interface AskedBoundary extends Boundary {
  /** What a yes allows: the maximum as it is set, where the one that is reached was granted. */
  readonly round?: Max | undefined;
  /** The run goes on by itself when the limit starts over. */
  readonly waits?: Ask["waits"];
}

/** What a person is asked at the boundary of a limit. */
export function questionAbout(boundary: AskedBoundary, style: BoundaryStyle): Question {
  const { heading, said, asks, ...question } = partsOf(boundary, style, "You've");
  return { ...question, title: capitalised(heading), message: sentences(said, asks) };
}

/** What a person is asked for an agent below the session. */
export function questionFor({ task, took }: AskingAgent, ask: AskedBoundary, style: BoundaryStyle): Question {
  const isOfAll = took !== undefined || limitOf(ask).per !== undefined;
  const { heading, said, asks, ...question } = partsOf(ask, style, isOfAll ? "You've" : "It has");
  const share = (used: number) =>
    `This sub-agent took ${usedText({ ...ask, used })} ${used > ask.used ? "in all" : "of it"}.`;
  return {
    ...question,
    title: `Sub-agent ${JSON.stringify(oneLine(task))}: ${heading}`,
    message: sentences(said, took === undefined ? "" : share(took), asks),
  };
}

function extendedSentence({ extended }: AskedBoundary): string {
  return extended ? ` ${sentence(capitalised(extensionText(extended)))}` : "";
}

/** What is asked, without the title and the message: these are put together from what was reached and what is asked. */
function partsOf(boundary: AskedBoundary, style: BoundaryStyle, who: Who) {
  const { used, max, why, waits } = boundary;
  const limit = limitOf(boundary);
  const {
    unit,
    settings,
    heading = `${titleOf(limit)} reached`,
    goOn = waits ? CONTINUE_NOW : CONTINUE,
  } = limit;
  const { amount } = settings.max;
  const isMenu = style === "menu" && why === undefined;
  return {
    heading,
    said: sentences(
      why === undefined ? `${limit.asked(used, max, who)}${extendedSentence(boundary)}` : sentence(why),
      waits ? goesOnText(waits) : "",
    ),
    asks: isMenu ? "" : goOn,
    style,
    entries: isMenu ? menuEntries(boundary, limit) : yesOrNo(boundary, limit),
    amountAsked: `How many more ${unit}?`,
    amountToUse: `Use an amount above zero, for example ${amount.example}.`,
    example: amount.example,
    parseAmount: (text: string) => {
      const more = amount.parseMore ? amount.parseMore(text) : amount.parse(text);
      return more === undefined || more === 0 ? undefined : more;
    },
    notAnAmount: (text: string) => `${JSON.stringify(text)} is not a number of ${unit}.`,
  };
}

function sentences(...said: string[]): string {
  return said.filter((one) => one !== "").join(" ");
}

/** A yes with what it allows, for money and periods also one that allows less, and a no. */
function yesOrNo(boundary: AskedBoundary, limit: PiLimit): readonly Entry[] {
  const round = roundOf(boundary, limit);
  if (round === undefined) return [{ label: "Yes", reply: true }, NO];
  const { amount } = limit.settings.max;
  const another = (more: number) => `Yes · ${anotherText(limit, more)}`;
  const part = limit.per || amount === DOLLARS ? smallerAmount(amount, round) : undefined;
  return [
    { label: another(round), reply: true },
    ...(part === undefined ? [] : [{ label: another(part), reply: { more: part } }]),
    NO,
  ];
}

const NO: Entry = { label: "No", reply: false };

/** How much a yes allows, where that is an amount. */
function roundOf({ max, round = max, why, unpriced }: AskedBoundary, limit: PiLimit): number | undefined {
  const isAboutAmount = why === undefined && !unpriced && limit.heading === undefined;
  return isAboutAmount && typeof round === "number" && round !== 0 ? round : undefined;
}

/** `another 25 turns`, `another $5.00 today, for all sessions`. */
function anotherText(limit: PiLimit, more: number): string {
  return `another ${amountText(limit, more)}${whereText(limit.per)}`;
}

/** `25 turns`, `200k tokens`, `$5.00`, `10m`. */
function amountText({ unit, settings }: PiLimit, value: number): string {
  const { amount } = settings.max;
  const text = amount.format(value);
  if (amount === DOLLARS || amount === DURATION) return text;
  return `${text} ${value === 1 ? unit.replace(/s$/, "") : unit}`;
}

function whereText(per: Period | undefined): string {
  if (per === undefined) return "";
  return ` ${nowIn(per)}${per === "session" ? "" : ", for all sessions"}`;
}

function menuEntries(boundary: AskedBoundary, limit: PiLimit): readonly Entry[] {
  const { unit, per, kind } = limit;
  const round = roundOf(boundary, limit);
  return [
    { label: round === undefined ? "Continue" : `Continue · ${anotherText(limit, round)}`, reply: true },
    { label: `Continue with a number of ${unit}…` },
    { label: "Wrap up now", reply: "wrap-up" },
    {
      label: `No limit ${per ? nowIn(per) : kind === PLAN_KEY ? "until it starts over" : "for this run"}`,
      reply: "unlimited",
    },
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
