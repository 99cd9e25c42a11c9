/** A number of things: `1 prompt`, `2 prompts`. */
export function countOf(count: number, thing: string): string {
  return `${whole(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** `1,200` */
export function whole(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** Tokens in a few characters: `950`, `12.3k`, `1.5m`. */
export function tokens(value: number): string {
  if (value < 1_000) return whole(value);
  // With one decimal, thousands from here up would read as 1000.0k.
  if (value < 999_950) return `${(value / 1_000).toFixed(1)}k`;
  return `${(value / 1_000_000).toFixed(1)}m`;
}

/** Dollars: with two decimals for a cent or more, and with four below that. */
export function dollars(value: number): string {
  if (value === 0 || value >= 0.01) return `$${value.toFixed(2)}`;
  return value < 0.0001 ? "<$0.0001" : `$${value.toFixed(4)}`;
}
