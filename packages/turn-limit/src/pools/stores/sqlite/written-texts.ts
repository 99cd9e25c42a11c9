import type { Amounts } from "../../ledger/amounts.ts";
import type { MemberEntry } from "../../ledger/rules.ts";
import type { AccountRow } from "./rows.ts";

// Both are JSON, written by hand: each request writes them, and JSON.stringify takes several times as long.

/** What is kept of an account. */
export function accountText({ settled, held, agents, born, forgotten, gone }: AccountRow): string {
  return `{"settled":${amountsText(settled)},"held":${amountsText(held)},"agents":${agents},"born":${born},"forgotten":${forgotten},"gone":${gone}}`;
}

/** What is kept of a member. */
export function memberText({
  id,
  name,
  used,
  told,
  holds,
  paid,
  incarnation,
  turn,
  last,
  run,
}: MemberEntry): string {
  const ids = `"id":${quoted(id)},"name":${quoted(name)}`;
  const amounts = `"used":${amountsText(used)},"told":${amountsText(told)},"holds":${amountsText(holds)},"paid":${amountsText(paid)}`;
  const verdict = last
    ? `,"last":${last.refused.length > 0 ? JSON.stringify(last) : `{"kind":"${last.kind}","refused":[]}`}`
    : "";
  const ofRun = run ? `,"run":${JSON.stringify(run)}` : "";
  return `{${ids},${amounts},"incarnation":${incarnation},"turn":${turn}${verdict}${ofRun}}`;
}

function amountsText(amounts: Amounts): string {
  let text = "";
  for (const measure in amounts) {
    // As JSON has it, what is no number is null, which nobody takes for an amount.
    const amount = amounts[measure] as number;
    text += `${text === "" ? "" : ","}${quoted(measure)}:${Number.isFinite(amount) ? amount : null}`;
  }
  return `{${text}}`;
}

/** So many texts are kept at most: names of measures and of members come again and again. */
const MOST = 1_000;
const known = new Map<string, string>();

/** A text as JSON. */
export function quoted(text: string): string {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= MOST) known.clear();
  const written = JSON.stringify(text);
  known.set(text, written);
  return written;
}
