import { isObject } from "./grammar.ts";
import { either, refusal } from "./refusal.ts";
import { unknownSetting } from "./settings-file.ts";

/** One part of a limit as a settings file has it. */
export interface Part {
  readonly name: string;
  readonly allowed: readonly string[];
  read(value: unknown): unknown;
}

/** The parts of a limit, of which `max` can be said by itself. */
export type Parts = { readonly max: Part } & Readonly<Record<string, Part>>;

/** What a settings file says about the parts of one limit, and what of it was refused. */
interface Said {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

/** Reads a limit that is said plainly, or as an object with parts. A bad part leaves the others as they are. */
export function readParts(path: string, parts: Parts, value: unknown, file: string): Said {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];

  function read(at: string, name: string, part: Part, value: unknown): void {
    const read = part.read(value);
    if (read !== undefined) values[name] = read;
    else problems.push(refusal(part.name, value, `"${at}" of ${file}`, either(part.allowed)));
  }

  if (isObject(value) && Object.keys(value).length > 0) {
    for (const name of Object.keys(value)) {
      const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
      if (part) read(`${path}.${name}`, name, part, value[name]);
      else problems.push(unknownSetting(`${path}.${name}`, file, Object.keys(parts)));
    }
  } else if (value !== undefined) {
    read(path, "max", plain(parts), value);
  }
  return { values, problems };
}

/** The maximum as it is said without an object around it. */
export function plain(parts: Parts): Part {
  const object = Object.keys(parts).map((name) => `"${name}": …`);
  return { ...parts.max, allowed: [...parts.max.allowed, `{ ${object.join(", ")} }`] };
}
