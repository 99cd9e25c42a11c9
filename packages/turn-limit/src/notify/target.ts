import { withoutCredentials } from "../gateway/addresses.ts";
import { NOTIFY } from "./variables.ts";

/** Where notifications go. */
export type Target =
  | { readonly kind: "ntfy"; readonly server: URL; readonly topic: string }
  | { readonly kind: "webhook"; readonly address: URL }
  | { readonly kind: "command"; readonly line: string };

/** What can be named. */
export const TARGETS =
  "ntfy://HOST/TOPIC, ntfy:ADDRESS/TOPIC, webhook:ADDRESS or command:LINE, such as ntfy://ntfy.sh/my-topic";

const TOPIC = /^[-\w]{1,64}$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Reads where notifications go. A text: why it cannot be used, to follow the value and its source. */
export function readTarget(text: string): Target | string {
  const [, kind = "", rest = ""] = /^(ntfy|webhook|command):(.*)$/s.exec(text.trim()) ?? [];
  if (kind === "command") return rest.trim() === "" ? IS_NONE : { kind, line: rest.trim() };
  const address = addressIn(kind === "ntfy" && rest.startsWith("//") ? `https:${rest}` : rest);
  if (kind === "" || !address) return IS_NONE;
  if (address.username !== "" || address.password !== "")
    return `has a user name or a password in it, which others can read. Put a token of the server into ${NOTIFY.token} instead.`;
  if (address.protocol === "http:" && !LOOPBACK.test(address.hostname))
    return "is plain HTTP to another machine: whoever is between could answer questions. Use an https:// address.";
  return kind === "webhook" ? { kind, address } : ntfyAt(address);
}

/** A target as it can be shown: without what is a secret of its owner. */
export function shownTarget(text: string): string {
  return withoutCredentials(text);
}

const IS_NONE = `is no place for notifications. Use ${TARGETS}.`;

function addressIn(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url : undefined;
}

function ntfyAt(address: URL): Target | string {
  const path = address.pathname.replace(/\/$/, "");
  const topic = path.slice(path.lastIndexOf("/") + 1);
  if (!TOPIC.test(topic) || address.search !== "" || address.hash !== "")
    return "does not end with a topic of ntfy: up to 64 letters, digits, - and _. Use for example ntfy://ntfy.sh/my-topic.";
  const server = new URL(address.origin);
  server.pathname = path.slice(0, path.lastIndexOf("/") + 1);
  return { kind: "ntfy", server, topic };
}
