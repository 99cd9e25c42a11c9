import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { LimitSetting } from "../config/LimitSetting.ts";
import { type Resolved, resolve } from "../config/resolve.ts";
import type { Sources } from "../config/sources.ts";
import { recallLimit, rememberLimit } from "./chosen-limit.ts";

/** One limit of the current session: what was configured, unless a command said otherwise. */
export class LimitInForce<T> {
  readonly setting: LimitSetting<T>;
  readonly #pi: ExtensionAPI;
  readonly #apply: (value: T) => void;
  #configured: Resolved<T>;
  #chosen: T | undefined;

  /** `apply` is called with the value whenever it may have changed. */
  constructor(pi: ExtensionAPI, setting: LimitSetting<T>, apply: (value: T) => void) {
    this.#pi = pi;
    this.#apply = apply;
    this.setting = setting;
    this.#configured = { value: setting.default, source: "default" };
  }

  get value(): T {
    return this.#chosen ?? this.#configured.value;
  }

  /** Where the value came from, in words. */
  get source(): string {
    return this.#chosen === undefined ? this.#configured.source : `/${this.setting.command} in this session`;
  }

  /** A session starts: takes what is configured and returns what was refused. */
  configure(ctx: ExtensionContext, sources: Sources): readonly string[] {
    const { problems, ...configured } = resolve(this.setting, sources);
    this.#configured = configured;
    this.recall(ctx);
    return problems;
  }

  /** The session stands at another point: takes what a command had set there. */
  recall(ctx: ExtensionContext): void {
    this.#chosen = recallLimit(ctx, this.setting);
    this.#apply(this.value);
  }

  /** A command sets the limit for the rest of the session. */
  choose(value: T): void {
    rememberLimit(this.#pi, this.setting, value);
    this.#chosen = value;
    this.#apply(value);
  }
}
