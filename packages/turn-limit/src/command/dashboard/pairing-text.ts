import { qrCode } from "./qr-code.ts";

/** How to pair a browser. The code stands behind `#`, so that it is not sent with the request and appears in no log. */
export function pairingText(address: string, code: string, isTerminal: boolean): string {
  const link = `${address}/#${code}`;
  const picture = isTerminal ? `${qrCode(link)}\n` : "";
  const written = `${code.slice(0, 4)}-${code.slice(4)}`;
  return `${picture}To pair a browser, open ${link},\nor type the code ${written} there. It can be used once, for five minutes.\n`;
}
