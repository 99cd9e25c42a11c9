import { createHash } from "node:crypto";
import type { SharedGatewayOptions } from "../../gateway/gateway.ts";
import { wrongInput } from "../command-error.ts";

/** Whose budget a request is on. */
export type WhoseOf = SharedGatewayOptions["whoseOf"];

type Headers = Parameters<WhoseOf>[0];

const HEADER = /^header:([!#$%&'*+.^_`|~0-9A-Za-z-]+)$/;
const LONGEST_NAME = 200;

/** Reads `--per`: a budget for each key, or for each value of a header. */
export function readPer(given = "key"): WhoseOf {
  if (given === "key") return ofKey;
  const [, header] = HEADER.exec(given) ?? [];
  if (header !== undefined) return ofHeader(header.toLowerCase());
  throw wrongInput(`${JSON.stringify(given)} from --per is not known. Use key, or header:NAME.`);
}

const AUTHORIZATION = "authorization";
/** Where else providers look for a key. */
const KEY_HEADERS = ["x-api-key", "x-goog-api-key", "api-key"];
const KEY_PARAMETERS = ["key", "access_token"];

const BEARER = /^bearer(?:\s+|$)/i;

function refused(why: string, instead = ""): { refused: string } {
  return { refused: `${why}, so the gateway does not know whose it is.${instead}` };
}

// With several keys, the provider chooses which one it takes. So they have to be the same one. A key is not kept: only a
// part of its digest is, which tells it from others.
function ofKey(headers: Headers, query: URLSearchParams): ReturnType<WhoseOf> {
  const authorizations = all(headers, AUTHORIZATION);
  if (!authorizations.every((value) => BEARER.test(value)))
    return refused("The authorization of the request is not a key", " Send authorization: Bearer KEY.");
  const keys = new Set([
    ...authorizations.map((value) => value.replace(BEARER, "")),
    ...KEY_HEADERS.flatMap((name) => all(headers, name)),
    ...KEY_PARAMETERS.flatMap((name) => query.getAll(name)),
  ]);
  keys.delete("");
  const [key, another] = keys;
  const headerNames = KEY_HEADERS.join(", ");
  if (key === undefined)
    return refused(
      "The request has no key",
      ` Send one as authorization: Bearer KEY, as ${headerNames}, or as ?key=KEY.`,
    );
  if (another !== undefined)
    return refused(
      "The request has several keys that differ",
      ` Send one key: as authorization, ${headerNames}, or ?key=.`,
    );
  return `key ${createHash("sha256").update(key).digest("hex").slice(0, 12)}`;
}

// The pools have the name of the header before the value, so that no value is the name of another pool.
function ofHeader(name: string): WhoseOf {
  return (headers) => {
    const [value, another] = new Set(all(headers, name));
    if (value === undefined) return refused(`The request has no header ${name}`);
    if (another !== undefined) return refused(`The request has several headers ${name}`);
    if (value.length > LONGEST_NAME)
      return refused(`The request has a header ${name} of more than ${LONGEST_NAME} characters`);
    // The name of a pool has no "@".
    return `${name} ${value.replace(/[%@]/g, encodeURIComponent)}`;
  };
}

/** The values of a header, without empty ones. */
function all(headers: Headers, name: string): string[] {
  return [headers[name] ?? []]
    .flat()
    .map((value) => value.trim())
    .filter((value) => value !== "");
}
