import { cannotBeDone } from "../command-error.ts";
import type { Place } from "./access.ts";
import { qrCode } from "./qr-code.ts";
import type { Dashboard } from "./server.ts";

/** Serves it, or says in words why it cannot listen there. */
export async function served(serve: () => Promise<Dashboard>, { host, port }: Place): Promise<Dashboard> {
  return serve().catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE")
      throw cannotBeDone(`Port ${port} is in use already. Use another one with --port, or 0 for any.`);
    if (error.code === "EADDRNOTAVAIL" || error.code === "EACCES")
      throw cannotBeDone(`It cannot listen at ${host}, port ${port}: ${error.message}.`);
    throw error;
  });
}

/** How a browser is paired. The code is no part of what is sent when the page is opened, and lands in no log. */
export function pairingText(address: string, code: string, isTerminal: boolean): string {
  const link = `${address}/#${code}`;
  const picture = isTerminal ? `${qrCode(link)}\n` : "";
  const written = `${code.slice(0, 4)}-${code.slice(4)}`;
  return `${picture}To pair a browser, open ${link}, or type the code ${written} there. It can be used once, for five minutes.\n`;
}
