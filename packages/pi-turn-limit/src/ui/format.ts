const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A number of things: `1 prompt`, `2 prompts`. */
export function countOf(count: number, thing: string): string {
  return `${whole(count)} ${thing}${count === 1 ? "" : "s"}`;
}

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

/** A share in per cent, which reads as 0 or 100 only if it is exactly that. */
export function percent(share: number): string {
  const value = share * 100;
  if (share > 0 && value < 0.1) return "<0.1 %";
  if (share < 1 && value > 99.9) return ">99.9 %";
  return `${value.toFixed(1)} %`;
}

/** A bar of block characters; anything above 0 is visible. */
export function bar(share: number, columns: number): string {
  const eighths = share === 0 ? 0 : Math.max(1, Math.round(share * columns * 8));
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}
