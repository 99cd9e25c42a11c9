import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Boundary, Outcome, Reply } from "turn-limit";
import type { RunObserver } from "turn-limit/adapter";
import { isBelowAnother } from "../agents/session-place.ts";
import { answeredText, messageOf, NOTIFY, untilAborted } from "../core.ts";
import { say } from "../display/say.ts";
import { summary } from "../display/summary-line.ts";
import { isPisOwnProcess } from "../pi-process.ts";
import { inHome } from "../settings/pi-folders.ts";
import type { NotifySource } from "../settings/sources.ts";

// On the process: a reload loads the module again.
const VARIABLES = Symbol.for("pi-turn-limit.persons-variables");
const shared = globalThis as { [VARIABLES]?: Readonly<Record<string, string | undefined>> };

/** The environment that Pi was started with. What an agent starts gets no token with which it could answer for the person. */
function personsVariables() {
  shared[VARIABLES] ??= { ...process.env };
  if (isPisOwnProcess()) for (const name of Object.values(NOTIFY)) delete process.env[name];
  return shared[VARIABLES];
}

/** Without a UI nobody waits for longer than this for an answer from elsewhere, in milliseconds. */
const PATIENCE = 300_000;
/** Where the person works, as it follows "Answered". */
export const TERMINAL = "in the terminal";

/** A reply, and where it was given, as it follows "Answered". */
interface Given {
  readonly where: string;
  readonly reply: Reply;
}

type Opened = NonNullable<Awaited<ReturnType<typeof open>>>;

/**
 * Tells the person elsewhere what happens, and asks them there beside the terminal. What does that is loaded in the
 * background: the session does not wait for it to start.
 */
export class Notifications {
  readonly #ctx: ExtensionContext;
  readonly #opening: Promise<Opened | undefined>;
  #opened: Opened | undefined;
  #where = TERMINAL;

  private constructor(ctx: ExtensionContext, from: NotifySource, standings: () => readonly Boundary[]) {
    this.#ctx = ctx;
    this.#opening = open(ctx, from, standings).catch((error) => {
      say(ctx, messageOf(error), "warning");
      return undefined;
    });
    void this.#opening.then((opened) => {
      this.#opened = opened;
    });
  }

  /** `undefined`: none are set, or somebody waits for this session who is told by the session above. */
  static of(
    ctx: ExtensionContext,
    from: NotifySource,
    standings: () => readonly Boundary[],
  ): Notifications | undefined {
    const isWanted = personsVariables()[NOTIFY.place] || from.isSet;
    return isWanted && !isBelowAnother(ctx) ? new Notifications(ctx, from, standings) : undefined;
  }

  /** Where the last reply was given. */
  get where(): string {
    return this.#where;
  }

  /** Is told what happens in the run. */
  get observer(): RunObserver {
    const tell =
      <Event extends keyof RunObserver>(event: Event) =>
      (...told: unknown[]) =>
        (this.#opened?.observer[event] as ((...told: unknown[]) => void) | undefined)?.(...told);
    return {
      ...{ turnBegan: tell("turnBegan"), turnEnded: tell("turnEnded") },
      ...{ callBegan: tell("callBegan"), callEnded: tell("callEnded") },
      ...{ asked: tell("asked"), replied: tell("replied"), runEnded: tell("runEnded") },
    };
  }

  /** Asks in the terminal by `put`, and elsewhere at the same time. The first reply counts. */
  async ask(
    question: Ask,
    signal: AbortSignal,
    put: (withdrawn: AbortSignal) => Promise<Reply>,
  ): Promise<Reply> {
    const over = new AbortController();
    const withdrawn = AbortSignal.any([signal, over.signal]);
    const here = put(withdrawn).then((reply): Given => ({ where: TERMINAL, reply }));
    const elsewhere = this.#elsewhere(question, withdrawn).then((given) => given ?? here);
    const first = await Promise.race([here, elsewhere]);
    if (signal.aborted) return first.reply;
    this.#where = first.where;
    const answered = answeredText(first.where, first.reply, question);
    // Whoever is asked reads how it was answered.
    over.abort(answered);
    if (first.where !== TERMINAL) say(this.#ctx, answered);
    return first.reply;
  }

  /** Asks only elsewhere, for a while, or for as long as the run waits. */
  async askElsewhere(question: Ask, signal: AbortSignal): Promise<Reply> {
    const late = new AbortController();
    // A timer that keeps the process alive until then.
    const timer = question.waits
      ? undefined
      : setTimeout(() => late.abort("Nobody answered in time."), PATIENCE);
    const withdrawn = AbortSignal.any([signal, late.signal]);
    const given = await untilAborted(withdrawn, this.#elsewhere(question, withdrawn), () => undefined);
    clearTimeout(timer);
    if (!given) return "unanswered";
    this.#where = given.where;
    say(this.#ctx, answeredText(given.where, given.reply, question));
    return given.reply;
  }

  /** A run has ended. */
  ended(outcome: Outcome): void {
    const { kind, intervened, ...counts } = outcome;
    if (!this.#opened?.on.end || (outcome.turns === 0 && !intervened)) return;
    this.#opened.notifier.tell("end", `${summary({ outcome: kind, ...counts })}.`);
  }

  /** Resolves when all that was told is sent, or given up. It does not take long. */
  async done(): Promise<void> {
    await (await this.#opening)?.notifier.done();
  }

  async close(): Promise<void> {
    await this.done();
    this.#opened?.notifier.close();
  }

  /** The first reply from elsewhere; `undefined` where there will be none. */
  async #elsewhere(question: Ask, withdrawn: AbortSignal): Promise<Given | undefined> {
    const places = (await this.#opening)?.notifier.places ?? [];
    return new Promise((resolve) => {
      const asked = places.map(async ({ where, ask }) => {
        const reply = await ask(question, withdrawn);
        if (reply !== undefined) resolve({ where, reply });
      });
      void Promise.allSettled(asked).then(() => resolve(undefined));
    });
  }
}

async function open(ctx: ExtensionContext, from: NotifySource, standings: () => readonly Boundary[]) {
  const { openNotifier, readNotify, watchRun } = await import("../core-notify.ts");
  const env = personsVariables();
  const settings = readNotify({ places: from.places, on: from.on }, env);
  if (!settings) return undefined;
  const folder = inHome(ctx.cwd);
  const run = { title: `Pi in ${folder}`, facts: { agent: "Pi", folder } };
  const warn = (message: string) => say(ctx, message, "warning");
  const notifier = openNotifier({ ...settings, run, env, warn });
  return { notifier, on: settings.on, observer: watchRun(notifier, settings.on, standings) };
}
