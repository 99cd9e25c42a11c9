import { messageOf } from "../core/errors/message-of.ts";
import { BadStatus } from "./requests.ts";

/** What went wrong, in words. */
export function troubleOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return messageOf(error) || String(code ?? error);
}

/** What to do about a server. `check`: about one that refuses. */
export function serverAdvice(error: unknown, check: string): string {
  if (!(error instanceof BadStatus) || error.status >= 500 || error.status === 408)
    return "Check that it works, and can be reached from here";
  const { status } = error;
  if (status >= 300 && status < 400) return "Name the address to which it redirects";
  return status === 429 ? "It takes no more for now: let less be told, or use a server of your own" : check;
}
