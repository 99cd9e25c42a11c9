import { chmodSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PER, saidTell } from "../core.ts";
import { type PiLimit, pathOf } from "../limits/pi-limit.ts";
import { TELL } from "../limits/tell.ts";
import { whileLocked } from "./file-lock.ts";
import { readJsonObject } from "./read-json-object.ts";
import { isObject, type Settings, valueAt, valueFor } from "./settings.ts";

const NOTHING_SAVED = "Nothing was saved.";

/**
 * Writes a limit into a settings file, and leaves everything else in the file as it is, what others save meanwhile
 * included. Returns why it was not saved, in a sentence for the person; must not throw.
 */
export function saveLimit(path: string, limit: PiLimit, values: Settings): string | undefined {
  return save(path, () => changed(path, limit, values));
}

/** The same for when the model is told what it has left: `off`, `every-turn`, `80,90,95`. Its wording stays. */
export function saveTell(path: string, text: string): string | undefined {
  return save(path, () => {
    const file = readJsonObject(path);
    if ("problem" in file) return unreadable(path, file.problem);
    const before = file.values[TELL];
    const tell = saidTell(text);
    const at = tell ? tell.at : false;
    return written(file, TELL, at && isObject(before) ? { ...before, at } : at);
  });
}

type Changed = { text: string; refusal?: undefined } | { text?: undefined; refusal: string };

function save(path: string, change: () => Changed): string | undefined {
  // Beside a file that has to be left as it is, not even a lock is made.
  const { refusal } = change();
  if (refusal !== undefined) return refusal;
  try {
    mkdirSync(dirname(path), { recursive: true });
    // A link stays a link.
    const target = existing(() => realpathSync(path)) ?? path;
    return whileLocked(target, (assertHeld) => {
      const { text, refusal } = change();
      if (text !== undefined) writeAtOnce(target, text, assertHeld);
      return refusal;
    });
  } catch (error) {
    return `Cannot write ${path}: ${(error as Error).message}. ${NOTHING_SAVED}`;
  }
}

/** The text of the file with this limit in it, or why it cannot have it. */
function changed(path: string, limit: PiLimit, values: Settings): Changed {
  const file = readJsonObject(path);
  if ("problem" in file) return unreadable(path, file.problem);
  const [key = "", member] = placeOf(limit);
  const family = member === undefined ? undefined : (file.values[key] ?? {});
  if (family !== undefined && !isObject(family))
    return { refusal: `"${key}" of ${path} is not an object, and was left as it is. ${NOTHING_SAVED}` };
  const before = valueAt(file.values as Settings, placeOf(limit));
  const saved =
    limit.spent || limit.per ? withOneOf(before, limit, values) : withLimit(before, limit, values);
  const after = family && member !== undefined ? { ...family, [member]: saved } : saved;
  return written(file, key, after);
}

function unreadable(path: string, problem: string): Changed {
  return { refusal: `${path}: ${problem} It was left as it is. ${NOTHING_SAVED}` };
}

function written(
  { values, text }: { values: Readonly<Record<string, unknown>>; text: string },
  key: string,
  value: unknown,
): Changed {
  return { text: `${JSON.stringify({ ...values, [key]: value }, null, indentOf(text))}\n` };
}

/** Where a limit is in a settings file. One with a period stands beside the one for a prompt. */
function placeOf(limit: PiLimit): string[] {
  const { kind, per } = limit;
  return kind === undefined || per === undefined ? pathOf(limit) : [kind];
}

/** What a settings file says about a kind of limit, with the one for this prompt or period replaced. */
function withOneOf(before: unknown, limit: PiLimit, values: Settings): unknown {
  const list: unknown[] = Array.isArray(before) ? before : before === undefined ? [] : [before];
  const isThis = (value: unknown) => (isObject(value) ? value[PER] : undefined) === limit.per;
  const saved = withLimit(list.find(isThis), limit, values);
  const index = list.findIndex(isThis);
  const others = list.filter((value) => !isThis(value));
  if (others.length === 0 && !Array.isArray(before)) return saved;
  // The one for a prompt comes first.
  const at = index >= 0 ? index : limit.per === undefined ? 0 : list.length;
  return others.toSpliced(at, 0, saved);
}

/** What a settings file says about a limit, with what a text can say about it replaced. */
function withLimit(before: unknown, limit: PiLimit, values: Settings): unknown {
  const { settings, per } = limit;
  const made = per === undefined ? {} : { max: settings.max.initial, [PER]: per };
  const after: Record<string, unknown> = isObject(before) ? { ...before } : made;
  const max = valueFor(values, limit) ?? settings.max.initial;
  for (const [name, setting] of Object.entries(settings)) {
    const value = valueFor(values, limit, name) ?? setting.initial;
    const isSaid = name === "max" || (max !== "unlimited" && setting.inText !== undefined);
    const isNew = name === "max" || Object.hasOwn(after, name) || value !== setting.initial;
    // A time is a number in here, and a text in a file.
    if (isSaid && isNew) after[name] = setting.read(value) === value ? value : setting.format(value);
  }
  const isPlain = !isObject(before) && Object.keys(after).length === 1;
  return isPlain ? after.max : after;
}

function indentOf(text: string): string {
  return /^[\t ]+(?=")/m.exec(text)?.[0] ?? "  ";
}

// Whoever reads the file meanwhile finds the old text or the new one, never half of it.
function writeAtOnce(target: string, text: string, assertHeld: () => void): void {
  const temporary = `${target}.${process.pid}.tmp`;
  const mode = existing(() => statSync(target).mode);
  try {
    writeFileSync(temporary, text, { flush: true });
    if (mode !== undefined) chmodSync(temporary, mode);
    assertHeld();
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function existing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
