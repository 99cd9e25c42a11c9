import type { HostedAgent } from "../shared/hosted-agent.ts";
import { GovernedRun } from "./governed-run.ts";
import { type Hooks, hooksOf, limitsIn, type RunOptions, withLateHooks } from "./run-options.ts";
import { limitsOfRun } from "./suspended-runs.ts";

/** The limits that a call of an agent can come under. */
export interface Limits {
  /** A new run, or the one that waits to be resumed under this id. */
  runOf(suspendedAs: string | undefined): GovernedRun;
  /** The host returned this for the run, which may wait to be resumed. */
  returned(result: Returned, run: GovernedRun): void;
}

/** What the host returns for a run, streaming or not. */
export interface Returned {
  runId?: string;
  finishReason?: unknown;
  /** How far a stream is. */
  status?: string;
}

/** Which of the host's methods was called. */
export interface EntryPoint {
  resumes: boolean;
  streams: boolean;
}

/** A run of the host's, and whose limits it is under. A sub-agent's is under those of its caller. */
interface Governed {
  run: GovernedRun;
  limits?: Limits;
}

/**
 * One call of an agent: `generate()`, `stream()`, or what resumes a run. Its limits come with the options of the call,
 * or else from the run that it is a part of, or else with the agent's default options, which are known only later.
 */
export class AgentCall {
  readonly #given: RunOptions;
  readonly #entry: EntryPoint;
  readonly #caller: HostedAgent | undefined;
  #defaults: RunOptions | undefined;
  #governed: Governed | undefined;
  /** What the host is given in place of the caller's options. */
  readonly options: RunOptions;

  /** `caller`: the agent whose tool call makes it. */
  constructor(entry: EntryPoint, given: RunOptions, caller: HostedAgent | undefined) {
    this.#entry = entry;
    this.#given = given;
    this.#caller = caller;
    this.options = withLateHooks(given, () => this.#hooks());
    this.#governed = this.#governedBy(
      limitsIn<Limits>(given) ?? (entry.resumes ? limitsOfRun(given.runId) : undefined),
    );
  }

  /** The run of the host's, if it is governed. */
  get run(): GovernedRun | undefined {
    return this.#governed?.run;
  }

  /** These are the agent's default options, which hold where the caller's say nothing. */
  defaultsAre(defaults: RunOptions): RunOptions {
    this.#defaults ??= defaults;
    this.#governed ??= this.#governedBy(limitsIn(defaults));
    return defaults;
  }

  /** The host's method threw. */
  failed(): void {
    this.run?.end("failed");
  }

  /** The host returned this. */
  returned(result: Returned): void {
    if (!this.#governed) return;
    const { run, limits } = this.#governed;
    // A stream goes on; so does, later, a run that waits for a person. Nothing may be read off a stream: what is read
    // and then fails without anybody who waits for it would end the process.
    if (!this.#entry.streams && result.finishReason !== "suspended") run.end();
    limits?.returned(result, run);
  }

  #governedBy(limits: Limits | undefined): Governed | undefined {
    if (limits) return { limits, run: limits.runOf(this.#entry.resumes ? this.#given.runId : undefined) };
    return this.#caller && { run: new GovernedRun(this.#caller.subAgent()) };
  }

  // The host reads these once it knows the agent's default options.
  #hooks(): Hooks {
    const { run } = this;
    if (!run) return this.#given;
    const defaults = this.#defaults ?? {};
    run.own = hooksOf(this.#given, defaults);
    const id = this.#given.runId ?? defaults.runId;
    const context = this.#given.requestContext ?? defaults.requestContext;
    run.progress.info = { ...(id !== undefined && { id }), context };
    return run.hooks;
  }
}
