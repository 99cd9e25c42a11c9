import { type Boundary, limitTitle } from "turn-limit";
import { parseDollars, parseDuration, parseTokens } from "../config/amounts.ts";
import { countOf } from "../config/grammar.ts";
import { amountText, maxText } from "./amount-text.ts";

/** What a limit is called, what it counts, and how an amount of it is written. */
export interface LimitWords {
  /** In the widget and the panel, for example `Tokens`. */
  label: string;
  /** What is counted, for example `tokens`. */
  unit: string;
  /** Where there is one: the command-line flag and the environment variable that set it. */
  flag?: string;
  env?: string;
  /** What an amount looks like. */
  example: string;
  parseAmount(text: string): number | undefined;
}

const counted = { example: "10", parseAmount: (text: string) => aboveZero(parseCount(text)) };

const WORDS: Record<string, LimitWords> = {
  turns: { ...counted, label: "Turns", unit: "turns", flag: "max-turns", env: "PI_MAX_TURNS" },
  steps: { ...counted, label: "Steps", unit: "steps", flag: "max-steps", env: "PI_MAX_STEPS" },
  tokens: {
    label: "Tokens",
    unit: "tokens",
    flag: "max-tokens",
    env: "PI_MAX_TOKENS",
    example: "50k",
    parseAmount: (text) => aboveZero(parseTokens(text)),
  },
  cost: {
    label: "Cost",
    unit: "dollars",
    flag: "max-cost",
    env: "PI_MAX_COST",
    example: "$2",
    parseAmount: (text) => aboveZero(parseDollars(text)),
  },
  time: {
    label: "Time",
    unit: "minutes",
    flag: "max-time",
    env: "PI_MAX_TIME",
    example: "5m",
    // Who is asked for minutes may well say a number.
    parseAmount: (text) => aboveZero(parseDuration(/^[0-9]+$/.test(text) ? `${text}m` : text)),
  },
  repeats: { ...counted, label: "Repeats", unit: "repeats" },
};

/** The words for a limit; a tool's is called by its name. */
export function wordsFor(limit: string): LimitWords {
  const tool = limit.startsWith("tools.") ? limit.slice("tools.".length) : undefined;
  return WORDS[limit] ?? { ...counted, label: tool ?? limit, unit: tool ? `${tool} calls` : limit };
}

/** `Token limit reached (201.3k/200k).` */
export function reachedText({ limit, used, max, unpriced }: Boundary): string {
  if (unpriced) return "The model has no price, so the cost limit cannot hold the run.";
  if (limit === "repeats")
    return `Repeat limit reached (the same call with the same result, ${rowText(used)}).`;
  return `${capitalised(limitTitle(limit))} reached (${amountText(limit, used)}/${maxText(limit, max)}).`;
}

/** What the question tells a person of what has been used. */
export function askedText({ limit, used, max }: Boundary): string {
  if (limit === "turns") return `You've used ${used === 1 ? "1 turn" : `${used} turns`}.`;
  if (limit === "tokens") return `You've used ${amountText(limit, used)} of ${maxText(limit, max)} tokens.`;
  if (limit === "cost") return `You've spent ${amountText(limit, used)} of ${maxText(limit, max)}.`;
  if (limit === "time") return `The agent has worked for ${amountText(limit, used)}.`;
  if (limit === "repeats") return `The agent made the same call ${rowText(used)}, with the same result.`;
  return `${wordsFor(limit).label} was called ${timesText(used)}.`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function rowText(count: number): string {
  return count === 1 ? "again" : `${count} times in a row`;
}

function timesText(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function parseCount(text: string): number | undefined {
  return /^[0-9]+$/.test(text.trim()) ? countOf(Number(text)) : undefined;
}

function aboveZero(amount: number | undefined): number | undefined {
  return amount !== undefined && amount > 0 && Number.isFinite(amount) ? amount : undefined;
}
