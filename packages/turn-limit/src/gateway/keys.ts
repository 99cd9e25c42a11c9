import type { IncomingMessage } from "node:http";

/**
 * The headers in which an agent may send the gateway's key, if others can read the address that it was given: one of our
 * own, and one that Codex sends to OpenAI with the value of a variable.
 */
export const KEY_HEADERS = { own: "x-turn-limit-key", openai: "openai-project" } as const;

/** The value of such a header: the key, and then the value that the header would have had. */
export function withKey(key: string, value: string | undefined): string {
  if (!value) return key;
  return value.split(" ", 1)[0] === key ? value : `${key} ${value}`;
}

/** Takes the key out of the headers of a request, so that it goes no further. Was it there? */
export function takeKey({ rawHeaders, headers }: IncomingMessage, isKey: (text: string) => boolean): boolean {
  if (headers[KEY_HEADERS.own] === undefined && headers[KEY_HEADERS.openai] === undefined) return false;
  let isTaken = false;
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    if (name !== KEY_HEADERS.own && name !== KEY_HEADERS.openai) continue;
    const [key = "", ...rest] = (rawHeaders[at + 1] ?? "").split(" ");
    if (!isKey(key)) continue;
    isTaken = true;
    if (rest.length > 0) {
      rawHeaders[at + 1] = rest.join(" ");
      headers[name] = rest.join(" ");
    } else {
      rawHeaders.splice(at, 2);
      delete headers[name];
    }
  }
  return isTaken;
}
