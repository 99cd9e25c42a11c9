import { useEffect, useState } from "preact/hooks";
import { html } from "./html.ts";

let ahead = 0;

/** Sets by how much this device's clock differs from that of the server. */
export function setServerTime(now: number): void {
  ahead = now - Date.now();
}

/** What time it is at the server. */
export function serverNow(): number {
  return Date.now() + ahead;
}

/** How long ago a moment of the server's was, or how far off it is: it counts on by itself. */
export function Span({ from, to }: { from?: number; to?: number }) {
  const [, setNow] = useState(0);
  useEffect(() => {
    const ticking = setInterval(() => setNow((ticks) => ticks + 1), 1_000);
    return () => clearInterval(ticking);
  }, []);
  const now = serverNow();
  return html`<span class="span">${spanText(from === undefined ? (to ?? now) - now : now - from)}</span>`;
}

function spanText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
  return `${Math.floor(seconds / 86_400)} days`;
}
