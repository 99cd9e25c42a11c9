import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, GovernorState, Reply, Stop, Store } from "turn-limit";
import { isBelowAnother, mayEndPi } from "../agents/session-place.ts";
import { messageOf, PI_RESUMED, Run, STOPPED_HERE } from "../core.ts";
import { say } from "../display/say.ts";
import { WAIT } from "../limits/setting.ts";
import { textInputs } from "../settings/limit-text.ts";
import { storeOption } from "../settings/pi-folders.ts";

/** What is done where a question finds nobody: its flag, its variable and its words. */
export const UNANSWERED = { flag: "unanswered", env: "PI_UNANSWERED", words: ["stop", "park"] } as const;

/** A run that was parked, and the reply to its question. */
interface Resumed {
  readonly id: string;
  readonly state: GovernorState;
  readonly limit: string | null;
  /** Left out: nobody replied, and the limit has started over by itself. */
  readonly reply?: Reply;
  /** Was the reply used by an earlier process that was killed? */
  readonly isReplyUsed?: boolean;
  /** The file that says that the run has gone on, once it is there: whoever resumed it parks it again as it was without. */
  readonly wentOn?: string;
  /** By this id the run is held in the store: it stays there until it is over. */
  readonly holder?: string;
}

/** What a session is started with: the options of Pi that hold for all of it, and hold no text for the model. */
const OPTIONS = {
  flags: [
    ...["--no-tools", "-nt", "--no-builtin-tools", "-nbt", "--no-extensions", "-ne", "--no-skills", "-ns"],
    ...[
      "--no-prompt-templates",
      "-np",
      "--no-context-files",
      "-nc",
      "--no-themes",
      "--offline",
      "--approve",
      "-a",
    ],
  ],
  values: [
    ...["--provider", "--model", "--models", "--thinking", "--tools", "-t", "--exclude-tools", "-xt"],
    ...["--session-dir", "--extension", "-e", "--skill", "--prompt-template", "--theme"],
  ],
} as const;

/** Is a question that finds nobody to park the run? `problem`: what was set is neither of the words. */
export function parksUnanswered(flag: unknown): { isWanted: boolean; problem?: string } {
  const { words, env } = UNANSWERED;
  const isFlag = typeof flag === "string";
  const set = isFlag ? flag : process.env[env] || "stop";
  if (words.some((word) => word === set)) return { isWanted: set === "park" };
  const source = isFlag ? `--${UNANSWERED.flag}` : env;
  return {
    isWanted: false,
    problem: `${JSON.stringify(set)} from ${source} is not known. Use stop or park.`,
  };
}

/** Print mode, in which nobody can be asked: a run at a limit is parked in the store, and goes on when it is resumed. */
export class PrintParking {
  /** That the run is parked, and how to go on with it, once it is. */
  parked: string | undefined;
  readonly #ctx: ExtensionContext;
  readonly #store: Store & { readonly file: string };
  readonly #isWanted: boolean;
  readonly #resumed: Resumed | undefined;
  readonly #id: string;
  #isReplyUsed: boolean;
  #repliedLast = false;
  #isTakenUp = false;
  #hasGoneOn = false;
  #beat: ReturnType<typeof setInterval> | undefined;
  /** The question that nobody answered, and what the run knew when it was asked. */
  #unanswered: (Pick<Run, "state" | "view"> & { ask: Ask }) | undefined;

  private constructor(
    ctx: ExtensionContext,
    store: Store & { readonly file: string },
    isWanted: boolean,
    resumed: Resumed | undefined,
  ) {
    this.#ctx = ctx;
    this.#store = store;
    this.#isWanted = isWanted;
    this.#resumed = resumed;
    this.#id = resumed?.id ?? randomUUID().slice(0, 8);
    this.#isReplyUsed = resumed?.isReplyUsed ?? false;
  }

  /** `undefined`: this session parks nothing, and goes on from nothing. */
  static of(
    ctx: ExtensionContext,
    store: Store & { readonly file: string },
    isWanted: boolean,
  ): PrintParking | undefined {
    if (!mayEndPi(ctx) || isBelowAnother(ctx)) return undefined;
    const resumed = resumedIn(process.env[PI_RESUMED], ctx);
    // What is started below goes on from nothing.
    delete process.env[PI_RESUMED];
    return resumed || isWanted ? new PrintParking(ctx, store, isWanted, resumed) : undefined;
  }

  /** What the run that goes on knew. */
  get state(): GovernorState | undefined {
    return this.#resumed?.state;
  }

  /** The first prompt is that of the run that goes on. Is it that? */
  takeUp(): boolean {
    const isFirst = this.#resumed !== undefined && !this.#isTakenUp;
    this.#isTakenUp = true;
    return isFirst;
  }

  /** The run that was parked has gone on, or is parked anew. */
  goesOn(): void {
    const { wentOn } = this.#resumed ?? {};
    if (wentOn === undefined || this.#hasGoneOn) return;
    this.#hasGoneOn = true;
    try {
      writeFileSync(wentOn, "");
    } catch {
      // Nobody waits for it any more.
    }
  }

  /**
   * A request is about to be sent, which waits for this: saves what the run knows, for whoever goes on if this process is
   * killed. May it be sent? Not if somebody else goes on with the run.
   */
  async save({ state }: Pick<Run, "state">): Promise<boolean> {
    return this.#save(state);
  }

  async #save(state: GovernorState): Promise<boolean> {
    const { holder } = this.#resumed ?? {};
    if (holder === undefined || this.parked !== undefined) return true;
    try {
      const { HELD_FOR, HeldRecord, ownProcess } = await import("../core-parked.ts");
      const held = new HeldRecord(this.#store, this.#id, holder);
      const process = ownProcess();
      this.#beat ??= setInterval(() => void held.hold({ process }).catch(() => undefined), HELD_FOR / 3);
      this.#beat.unref();
      const saved = { state: JSON.stringify(state), isReplyUsed: this.#isReplyUsed };
      return await held.hold({ process, saved });
    } catch (error) {
      say(this.#ctx, `What the run used is not saved, in case Pi is killed: ${messageOf(error)}`, "warning");
      return true;
    }
  }

  /** The session ends. A run that has gone on, and was not parked anew, is over. */
  async close(): Promise<void> {
    clearInterval(this.#beat);
    const { holder } = this.#resumed ?? {};
    if (holder === undefined || !this.#hasGoneOn || this.parked !== undefined) return;
    const { HeldRecord } = await import("../core-parked.ts");
    await new HeldRecord(this.#store, this.#id, holder).remove().catch(() => undefined);
  }

  /** Was the run resumed with a reply to this question, which was not used yet? */
  hasReplyTo(ask: Ask): boolean {
    const { limit, reply } = this.#resumed ?? {};
    return reply !== undefined && !this.#isReplyUsed && (limit ?? ask.limit) === ask.limit;
  }

  /** Was the last reply the one with which the run was resumed? Where that was given is known since it was. */
  get repliedLast(): boolean {
    return this.#repliedLast;
  }

  /** May the run be held until the limit of this question starts over? If not, it ends, and is parked until then. */
  mayHold(ask: Ask, run: Pick<Run, "state" | "view">): boolean {
    const isParked =
      this.#isWanted &&
      !this.hasReplyTo(ask) &&
      endsBeforeTurn(ask, run) &&
      // What cannot be parked is held: it need not end.
      this.#ctx.sessionManager.getSessionFile() !== undefined;
    if (isParked) this.#unanswered = { ask, state: run.state, view: run.view };
    return !isParked;
  }

  /** Nobody is there: the reply with which the run was resumed, or none. */
  async ask(ask: Ask, run: Pick<Run, "state" | "view">): Promise<Reply> {
    this.#repliedLast = this.hasReplyTo(ask);
    if (this.#repliedLast) {
      this.#isReplyUsed = true;
      // What is allowed in a pool is in the store at once. A limit of the run alone starts over with the state that is saved next.
      if (ask.identity.per !== undefined || ask.identity.pool !== undefined)
        await this.#save(this.#resumed?.state ?? run.state);
      return this.#resumed?.reply ?? "unanswered";
    }
    if (this.#isWanted && endsBeforeTurn(ask, run))
      this.#unanswered = { ask, state: run.state, view: run.view };
    return "unanswered";
  }

  /** The run ends: not before is it parked, for somebody elsewhere may have answered. */
  async ended(stop: Stop): Promise<void> {
    const unanswered = this.#unanswered;
    this.#unanswered = undefined;
    if (stop.outcome !== "stopped" || stop.limit !== unanswered?.ask.limit) return;
    try {
      await this.#park(unanswered.ask, unanswered);
    } catch (error) {
      say(this.#ctx, `The run could not be parked, so it is stopped: ${messageOf(error)}`, "warning");
    }
  }

  async #park(ask: Ask, run: Pick<Run, "state" | "view">): Promise<void> {
    const { sessionManager, cwd, model } = this.#ctx;
    if (!sessionManager.getSessionFile()) throw new Error("this session is not saved (--no-session).");
    const { knownOptionsIn, parkRun, questionOf, snapshotOf } = await import("../core-parked.ts");
    const place = { agent: "Pi", folder: cwd, host: hostname() };
    const { state: _, ...seen } = snapshotOf(
      { view: run.view, model: model && { id: model.id, provider: model.provider } },
      place,
    );
    const inputs = textInputs();
    const options = {
      flags: OPTIONS.flags,
      values: [...OPTIONS.values, ...inputs.map(({ flag }) => `--${flag}`), `--${UNANSWERED.flag}`],
    };
    const args = knownOptionsIn(process.argv.slice(2), options);
    // The limits are those with which it was started, whatever is set when it is resumed.
    const set = [...inputs, UNANSWERED].flatMap(({ flag, env }) => {
      const value = process.env[env];
      const isFlag = args.some((arg) => arg === `--${flag}` || arg.startsWith(`--${flag}=`));
      return value && !isFlag ? [`--${flag}`, value] : [];
    });
    await parkRun(this.#store, {
      id: this.#id,
      name: `Pi in ${cwd}`,
      run: {
        ...seen,
        parked: {
          session: sessionManager.getSessionId(),
          program: piProgram(),
          args: [...args, ...set],
          isHeadless: true,
          options: [],
          state: JSON.stringify(run.state),
        },
      },
      question: questionOf(ask),
    });
    this.goesOn();
    const resume = `npx turn-limit resume ${this.#id}${storeOption(this.#store.file)}`;
    this.parked = ask.waits
      ? `${STOPPED_HERE.waits} To go on then: ${resume}`
      : `${STOPPED_HERE.parked} To go on: ${resume}`;
  }
}

const BEFORE_TURNS: readonly string[] = ["turns", "requests", "tokens", "cost", "time", "plan"];

/** Would this limit end the run before a turn? At a tool call, and where a last answer is due, there is nothing to park. */
function endsBeforeTurn({ limit, identity, waits, midTurn }: Ask, { view }: Pick<Run, "view">): boolean {
  if (waits) {
    const limits = view.settings.limits as readonly { name?: string; headless?: string }[];
    const headless = limits.find(({ name }) => name === limit)?.headless;
    return !midTurn && (headless === "stop" || headless === WAIT);
  }
  if (!BEFORE_TURNS.includes(identity.kind)) return false;
  const { headless = "stop" } = Object(Object(view.settings)[identity.kind]) as { headless?: string };
  return identity.per !== undefined || identity.pool !== undefined || headless === "stop";
}

/** The run that is handed over. One that cannot be read is none: its prompt begins another one, with all limits. */
function resumedIn(handed: string | undefined, ctx: ExtensionContext): Resumed | undefined {
  if (!handed) return undefined;
  try {
    const resumed: Resumed = JSON.parse(handed);
    new Run({ turns: "unlimited" }, { state: resumed.state }).close();
    return resumed;
  } catch (error) {
    say(ctx, `The parked run cannot be read, so another one begins: ${messageOf(error)}`, "warning");
    return undefined;
  }
}

/** Pi is a script of Node's or Bun's, or a program by itself. */
function piProgram(): string[] {
  const { execPath, argv } = process;
  return /^(?:node|bun)(?:\.exe)?$/.test(basename(execPath)) && argv[1] !== undefined
    ? [execPath, argv[1]]
    : [execPath];
}
