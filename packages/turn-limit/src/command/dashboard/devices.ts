import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../core/errors/message-of.ts";
import { oneLine } from "../../core/text/text-width.ts";
import { cannotBeDone } from "../command-error.ts";

/** A browser that may use the dashboards of this person. Its secret is not kept, only what it can be checked by. */
export interface Device {
  readonly id: string;
  readonly name: string;
  readonly paired: string;
  /** What its secret opens: the page, or only `/metrics`. */
  readonly use: "page" | "metrics";
}

interface KeptDevice extends Device {
  readonly hash: string;
}

/** For how long a code can be used, in milliseconds. */
export const CODE_LASTS = 300_000;

// Without those that look alike.
const LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const CODE_LENGTH = 8;
const ID = /^[0-9a-f]{8}$/;
const HASH = /^[0-9a-f]{64}$/;
const LONGEST_NAME = 60;

/**
 * The devices of a person, and the codes with which new ones are paired. Each is a file of its own, so that of all who use
 * a code at once, in whichever process, exactly one succeeds in removing it.
 */
export class Devices {
  readonly #devices: string;
  readonly #codes: string;
  readonly #folders: readonly string[];
  readonly #now: () => number;

  constructor(folder: string, now: () => number = Date.now) {
    this.#devices = join(folder, "devices");
    this.#codes = join(folder, "codes");
    this.#now = now;
    this.#folders = [folder, this.#devices, this.#codes];
  }

  // The folders are made only where something is kept: whoever just asks may not be allowed to write.
  #keep(file: string, content: string): void {
    try {
      for (const each of this.#folders) mkdirSync(each, { recursive: true, mode: 0o700 });
      // Nobody reads half a file.
      writeFileSync(`${file}.new`, content, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      throw cannotBeDone(
        `Browsers cannot be paired, because nothing can be kept in ${this.#folders[0]}: ${messageOf(error)}. ` +
          "Make room there, or name another folder in XDG_CONFIG_HOME.",
      );
    }
  }

  /** A new code, which pairs one device within five minutes. */
  newCode(): string {
    const code = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
    this.#keep(join(this.#codes, hashOf(code)), String(this.#now() + CODE_LASTS));
    for (const name of readdirSync(this.#codes)) if (!this.#isInTime(name)) this.#take(name);
    return code;
  }

  /** Pairs a device, and says its secret, once. `undefined`: the code is wrong, too old, or was used. */
  pair(code: string, name: string): string | undefined {
    const kept = hashOf(code.toUpperCase().replace(/[^0-9A-Z]/g, ""));
    return this.#isInTime(kept) && this.#take(kept) ? this.#add(name, "page") : undefined;
  }

  /** Lets a program read `/metrics`, and says its secret, once. It opens nothing else. */
  addForMetrics(name: string): string {
    return this.#add(name, "metrics");
  }

  #add(name: string, use: Device["use"]): string {
    const id = randomBytes(4).toString("hex");
    const secret = `${id}.${randomBytes(32).toString("base64url")}`;
    const paired = new Date(this.#now()).toISOString();
    // Terminals show it beside what is done with it.
    const called = oneLine(name).trim().slice(0, LONGEST_NAME) || "a device without a name";
    const device: KeptDevice = { id, name: called, paired, use, hash: hashOf(secret) };
    this.#keep(this.#fileOf(id), JSON.stringify(device));
    return secret;
  }

  /** The device that has this secret, if it is for this use. */
  deviceOf(secret: string, use: Device["use"] = "page"): Device | undefined {
    const device = this.#read(secret.split(".")[0] ?? "");
    if (device?.use !== use || !timingSafeEqual(Buffer.from(device.hash), Buffer.from(hashOf(secret))))
      return undefined;
    return shown(device);
  }

  /** All devices, the oldest first. */
  list(): Device[] {
    if (!existsSync(this.#devices)) return [];
    const names = readdirSync(this.#devices).filter((name) => name.endsWith(".json"));
    const devices = names.flatMap((name) => this.#read(name.slice(0, -".json".length)) ?? []);
    return devices.map(shown).sort((one, other) => (one.paired < other.paired ? -1 : 1));
  }

  /** Takes a device's access away, at once. `false`: there is none of this id. */
  revoke(id: string): boolean {
    if (!ID.test(id)) return false;
    return isRemoved(this.#fileOf(id));
  }

  #read(id: string): KeptDevice | undefined {
    if (!ID.test(id)) return undefined;
    try {
      const kept = JSON.parse(readFileSync(this.#fileOf(id), "utf8"));
      // Those of earlier versions are for the page.
      kept.use ??= "page";
      const isWhole = [kept.name, kept.paired, kept.hash, kept.use].every(
        (field) => typeof field === "string",
      );
      return isWhole && kept.id === id && HASH.test(kept.hash) ? kept : undefined;
    } catch {
      return undefined;
    }
  }

  #fileOf(id: string): string {
    return join(this.#devices, `${id}.json`);
  }

  // Not longer either where the clock was set back meanwhile.
  #isInTime(code: string): boolean {
    try {
      const left = Number(readFileSync(join(this.#codes, code), "utf8")) - this.#now();
      return left > 0 && left <= CODE_LASTS;
    } catch {
      return false;
    }
  }

  #take(code: string): boolean {
    return isRemoved(join(this.#codes, code));
  }
}

/** Where the devices of this person are kept. */
export function devicesFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "turn-limit");
}

function isRemoved(file: string): boolean {
  try {
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}

function shown({ id, name, paired, use }: KeptDevice): Device {
  return { id, name, paired, use };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
