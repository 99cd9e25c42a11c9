/** The base address of a provider that a text is. `undefined`: it is not an http:// or https:// address without a query. */
export function baseAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) && !url.search && !url.hash ? url : undefined;
}

/** The host of an address as sockets take it: an IPv6 address has no brackets. */
export function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** The port of an address, or the default one of its protocol. */
export function portOf({ port, protocol }: URL): string {
  return port || (protocol === "https:" ? "443" : "80");
}

/** The credentials in an address, as the header `Authorization` has them. `undefined`: it has none. */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")}`;
}

/**
 * An address, or what was meant to be one, without the credentials in it: before the host, where a password may have a slash,
 * and in the query.
 */
export function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, "$1…@").replace(/([?#]).+$/s, "$1…");
}

/** What is allowed as the address of a provider. */
export const A_BASE_ADDRESS = "an http:// or https:// address without a query";

// Some people write a `%` as it is.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
