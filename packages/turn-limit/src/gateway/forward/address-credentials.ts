/** The credentials in an address, as the header `Authorization` has them. `undefined`: it has none. */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")}`;
}

/** An address, or what was meant to be one, without the credentials in it. A password may have a slash. */
export function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, "$1…@");
}

// Some people write a `%` as it is.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
