import type { Rates, SeenPool } from "../news.ts";
import { html } from "./html.ts";

const MINUTES = 60;

/** What was spent in each minute of the last hour: dollars, or tokens where nothing has a price. */
export function Chart({ rates, label = "" }: { rates: Rates; label?: string }) {
  const isCost = rates.costs.length > 0;
  // The current minute has only begun: in its place is what the last sixty seconds took.
  const amounts = isCost
    ? [...rates.costs.slice(0, -1), rates.costPerMinute]
    : [...rates.tokens.slice(0, -1), rates.tokensPerMinute];
  const most = Math.max(...amounts, 0);
  if (amounts.length < 2 || most === 0) return null;
  // The last minute is at the right, and an hour before at the left.
  const first = MINUTES - amounts.length;
  const x = (index: number) => (((first + index) / (MINUTES - 1)) * 100).toFixed(2);
  const line = amounts
    .map((amount, index) => `${x(index)},${(29 - (amount / most) * 26).toFixed(2)}`)
    .join(" ");
  const unit = isCost ? dollars(most) : `${count(most)} tokens`;
  const about = `${label}Last hour, at most ${unit} a minute`;
  return html`<figure class=${label && "all"}>
    <svg class="chart" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label=${about}>
      <polygon points=${`${x(0)},30 ${line} 100,30`} />
      <polyline points=${line} />
    </svg>
    <figcaption class="quiet" aria-hidden="true"><span>1 hour ago</span><span>at most ${unit} a minute</span><span>now</span></figcaption>
  </figure>`;
}

/** `$0.42 and 12k tokens a minute`; nothing where nothing is spent. */
export function ratesText({ costPerMinute, tokensPerMinute }: Rates): string {
  const parts = [
    costPerMinute > 0 && dollars(costPerMinute),
    tokensPerMinute > 0 && `${count(tokensPerMinute)} tokens`,
  ];
  const spent = parts.filter(Boolean).join(" and ");
  return spent && `${spent} a minute`;
}

/** What all of them use together. */
export function together(pools: readonly SeenPool[]): Rates {
  const all = pools.map(({ rates }) => rates);
  const sum = (of: (rates: Rates) => number) => all.reduce((total, rates) => total + of(rates), 0);
  return {
    costPerMinute: sum((rates) => rates.costPerMinute),
    tokensPerMinute: sum((rates) => rates.tokensPerMinute),
    costs: byMinute(all.map(({ costs }) => costs)),
    tokens: byMinute(all.map(({ tokens }) => tokens)),
  };
}

// Each list ends with the current minute.
function byMinute(lists: readonly number[][]): number[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const sums = new Array<number>(longest).fill(0);
  for (const list of lists)
    for (const [index, amount] of list.entries()) {
      const place = longest - list.length + index;
      sums[place] = (sums[place] ?? 0) + amount;
    }
  return sums;
}

function dollars(amount: number): string {
  return amount >= 0.01 ? `$${amount.toFixed(2)}` : `$${amount.toPrecision(1)}`;
}

function count(amount: number): string {
  if (amount < 1_000) return String(Math.round(amount));
  return amount < 1_000_000
    ? `${Number((amount / 1_000).toPrecision(2))}k`
    : `${Number((amount / 1e6).toPrecision(2))}m`;
}
