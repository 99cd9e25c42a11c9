import type { OutcomeKind, Totals } from "turn-limit";
import { countsAs, type PastRun } from "../core.ts";
import type { Entry } from "./entry.ts";

/** What one prompt took. */
export interface PromptCost {
  turns: number;
  steps: number;
  tokens: number;
  cacheTokens: number;
  dollars: number;
}

/** The same, and what limits that are chosen from runs need. */
export interface PromptRun extends PromptCost {
  /** The same as limits count it, and with the calls of each tool. */
  took: Took;
  /** How it counts among the person's runs; nothing if it was cancelled, or failed. */
  end: PastRun["end"] | undefined;
}

type Took = { -readonly [Name in keyof Totals]: Totals[Name] } & { calls: Record<string, number> };

const NO_ANSWER = new Set(["error", "aborted", "pending", "deferred"]);
const FINISHED = new Set(["stop", "length"]);
const AGENT_GOES_ON = new Set(["toolUse", "error"]);

const NOTHING = {
  ...{ turns: 0, requests: 0, steps: 0, time: 0 },
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
};

/**
 * Counts what the prompts of one session file took.
 *
 * The file is a tree, but Pi only appends to it: the work of a prompt follows it line by line, also when it
 * began at an earlier point of the tree. A prompt that was seen in an older file was copied by a fork, and
 * counts there with its work. A fork repeats the entries it copies with their ids and times; an id alone is
 * only unique within its session.
 */
export class SessionCounter {
  /** What the prompts that began in this file took so far, in their order. */
  readonly prompts: PromptRun[] = [];
  /** The prompts of older files. */
  readonly #seen: Set<string>;
  #prompt: PromptRun | undefined;
  #began = 0;
  #agentWorks = false;
  #last: Entry | undefined;
  #cutShort: string | undefined;

  constructor(seen: Set<string>) {
    this.#seen = seen;
  }

  add(entry: Entry): void {
    switch (entry.kind) {
      case "user":
        if (!this.#wasSteered(entry)) this.#begin(entry);
        this.#agentWorks = true;
        break;
      case "assistant":
        this.#answered(entry);
        this.#agentWorks = AGENT_GOES_ON.has(entry.stopReason ?? "");
        break;
      case "toolResult":
        this.#called(entry);
        this.#agentWorks = true;
        break;
      case "outcome":
        this.#ended(entry);
        break;
      case "omission":
        this.#omitted(entry.targetId);
        break;
    }
    this.#last = entry;
  }

  /**
   * A user message was steered into the run, and is no prompt, if it was written before the entry that it
   * follows was saved and that entry left the agent at work; after a final answer it is always a prompt.
   */
  #wasSteered({ writtenAt }: Entry & { kind: "user" }): boolean {
    if (!this.#agentWorks || !this.#last) return false;
    return writtenAt === undefined || !(writtenAt > this.#last.savedAt);
  }

  #begin({ id, savedAt, writtenAt = savedAt }: Entry & { kind: "user" }): void {
    this.#cutShort = undefined;
    this.#prompt = undefined;
    const key = `${id} ${savedAt}`;
    // The oldest format has no ids, and no forks either.
    if (id !== undefined && this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#began = writtenAt;
    const counts = { turns: 0, steps: 0, tokens: 0, cacheTokens: 0, dollars: 0 };
    const took = { ...NOTHING, calls: Object.create(null) };
    this.#prompt = { ...counts, took, end: undefined };
    this.prompts.push(this.#prompt);
  }

  #answered({ id, stopReason, usage, savedAt }: Entry & { kind: "assistant" }): void {
    const prompt = this.#prompt;
    if (!prompt) return;
    const { input, output, cacheRead, cacheWrite, dollars } = usage;
    if (!NO_ANSWER.has(stopReason ?? "")) this.#turn(1);
    prompt.tokens += input + output;
    prompt.cacheTokens += cacheRead + cacheWrite;
    prompt.dollars += dollars;
    prompt.took.input += input;
    prompt.took.output += output;
    prompt.took.cacheRead += cacheRead;
    prompt.took.cacheWrite += cacheWrite;
    prompt.took.cost += dollars;
    prompt.end = FINISHED.has(stopReason ?? "") ? "finished" : undefined;
    this.#timeIs(savedAt);
    this.#cutShort = stopReason === "length" ? id : undefined;
  }

  /** Pi takes an answer that was cut short out of the context before it compacts and asks for it again. */
  #omitted(targetId: string): void {
    if (!this.#prompt || targetId !== this.#cutShort) return;
    this.#turn(-1);
    this.#cutShort = undefined;
  }

  #turn(count: 1 | -1): void {
    if (!this.#prompt) return;
    this.#prompt.turns += count;
    this.#prompt.took.turns += count;
    this.#prompt.took.requests += count;
  }

  #called({ tool, savedAt }: Entry & { kind: "toolResult" }): void {
    if (!this.#prompt) return;
    const { took } = this.#prompt;
    this.#prompt.steps += 1;
    took.steps += 1;
    if (tool !== undefined) took.calls[tool] = (took.calls[tool] ?? 0) + 1;
    this.#timeIs(savedAt);
  }

  /** What this extension kept of the end of the run says more than its last answer. */
  #ended({ outcome, limit, time }: Entry & { kind: "outcome" }): void {
    if (!this.#prompt) return;
    this.#prompt.end = countsAs({ kind: outcome as OutcomeKind, ...(limit && { identity: limit }) });
    if (time !== undefined) this.#prompt.took.time = time;
  }

  #timeIs(now: number): void {
    if (this.#prompt) this.#prompt.took.time = Math.max(0, now - this.#began) || 0;
  }
}
