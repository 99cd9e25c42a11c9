/** Where the record of a pool is, and when the leases of its members end. One hash tag: both are on the same server. */
export function keysOf(prefix: string, pool: string): [record: string, leases: string] {
  const record = `${prefix}{${tagOf(pool)}}`;
  return [record, `${record}:leases`];
}

/** The name of the pool whose record has this key; `undefined` for another key. */
export function poolOf(prefix: string, key: string): string | undefined {
  if (!key.startsWith(`${prefix}{`) || !key.endsWith("}")) return undefined;
  const tag = key.slice(prefix.length + 1, -1);
  if (/[{}]/.test(tag)) return undefined;
  return tag === NO_NAME
    ? ""
    : fromWire(tag.replace(/%(25|7B|7D)/g, (escaped) => decodeURIComponent(escaped)));
}

/** What SCAN has to look for. */
export function keyPattern(prefix: string): string {
  return `${prefix.replace(/[\\*?[\]^]/g, "\\$&")}{*}`;
}

// Redis takes no empty tag, and a tag ends at the first brace.
const NO_NAME = "%";

function tagOf(pool: string): string {
  return toWire(pool).replace(/[%{}]/g, encodeURIComponent) || NO_NAME;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they separate what is sent.
const ESCAPED = /[\\\u0000-\u001f\p{Surrogate}]/u;

/** A text as the server gets it: in one line, and without half characters, which cannot be sent. As in JSON. */
export function toWire(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** A text as it was before {@link toWire}. */
export function fromWire(text: string): string {
  return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
}
