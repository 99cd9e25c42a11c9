import { cannotBeDone } from "../command-error.ts";
import type { Place } from "./place.ts";
import type { Dashboard } from "./server.ts";

/** The dashboard that `serve` starts. If it cannot listen there, the error says why in words. */
export async function served(serve: () => Promise<Dashboard>, { host, port }: Place): Promise<Dashboard> {
  return serve().catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE")
      throw cannotBeDone(`Port ${port} is in use already. Use another one with --port, or 0 for any.`);
    if (error.code === "EADDRNOTAVAIL" || error.code === "EACCES")
      throw cannotBeDone(`It cannot listen at ${host}, port ${port}: ${error.message}.`);
    throw error;
  });
}
