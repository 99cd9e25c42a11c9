import { renderUnicodeCompact } from "uqr";

/** A text as a picture that phones read, in the characters of a terminal. */
export function qrCode(text: string): string {
  return renderUnicodeCompact(text, { border: 2 });
}
