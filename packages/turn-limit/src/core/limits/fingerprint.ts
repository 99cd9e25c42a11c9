const SHORT = 64;

/**
 * A short text that is the same for equal values, whatever the order of their keys, and different for different ones.
 * `undefined` for what cannot be compared.
 */
export function fingerprint(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value, sorted) ?? "undefined";
    return text.length <= SHORT ? text : `${text.length}:${hash(text)}`;
  } catch {
    return undefined;
  }
}

/** The same for a value that has yet to be made, from something of which nothing is known: making it may throw, too. */
export function fingerprintOf(make: () => unknown): string | undefined {
  try {
    return fingerprint(make());
  } catch {
    return undefined;
  }
}

function sorted(this: unknown, key: string, value: unknown): unknown {
  // What is to be written, before its own `toJSON`: a buffer has one.
  const written = (this as Record<string, unknown>)[key];
  // A picture has millions of bytes, and to JSON each of them is a field.
  if (ArrayBuffer.isView(written)) return bytesOf(written);
  // To JSON these would be null.
  if (typeof value === "number" && !Number.isFinite(value)) return `${value}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (value instanceof Error) return `${value}`;
  const entries = Object.entries(value);
  // JSON sees nothing of what is in a map, a set or a buffer.
  if (entries.length === 0 && Object.prototype.toString.call(value) !== "[object Object]")
    throw new TypeError();
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What kind of view it is, and what it shows. */
function bytesOf(view: ArrayBufferView): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  return `${Object.prototype.toString.call(view)}:${bytes.length}:${hashOf(bytes.length, (index) => bytes[index] ?? 0)}`;
}

function hash(text: string): string {
  return hashOf(text.length, (index) => text.charCodeAt(index));
}

// Two independent lanes of 32 bits: enough that two results of one run will not collide by chance.
function hashOf(length: number, unitAt: (index: number) => number): string {
  let one = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (let index = 0; index < length; index += 1) {
    const unit = unitAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other + unit, 0x85ebca6b);
    other ^= other >>> 13;
  }
  return `${(one >>> 0).toString(36)}:${(other >>> 0).toString(36)}`;
}
