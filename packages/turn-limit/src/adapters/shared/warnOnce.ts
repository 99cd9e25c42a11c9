const said = new Set<string>();

/** Tells whoever looks at the console, each message once. */
export function warnOnce(message: string): void {
  if (said.has(message)) return;
  said.add(message);
  console.warn(`turn-limit: ${message}`);
}
