import type { Entry } from "./entry.ts";

/** What one prompt took. */
export interface PromptCost {
  turns: number;
  steps: number;
  tokens: number;
  cacheTokens: number;
  dollars: number;
}

const NO_ANSWER = new Set(["error", "aborted", "pending", "deferred"]);
const AGENT_GOES_ON = new Set(["toolUse", "error"]);

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
  readonly prompts: PromptCost[] = [];
  /** The prompts of older files. */
  readonly #seen: Set<string>;
  #prompt: PromptCost | undefined;
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
        if (this.#prompt) this.#prompt.steps += 1;
        this.#agentWorks = true;
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

  #begin({ id, savedAt }: Entry): void {
    this.#cutShort = undefined;
    this.#prompt = undefined;
    const key = `${id} ${savedAt}`;
    // The oldest format has no ids, and no forks either.
    if (id !== undefined && this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#prompt = { turns: 0, steps: 0, tokens: 0, cacheTokens: 0, dollars: 0 };
    this.prompts.push(this.#prompt);
  }

  #answered({ id, stopReason, usage }: Entry & { kind: "assistant" }): void {
    if (!this.#prompt) return;
    if (!NO_ANSWER.has(stopReason ?? "")) this.#prompt.turns += 1;
    this.#prompt.tokens += usage.tokens;
    this.#prompt.cacheTokens += usage.cacheTokens;
    this.#prompt.dollars += usage.dollars;
    this.#cutShort = stopReason === "length" ? id : undefined;
  }

  /** Pi takes an answer that was cut short out of the context before it compacts and asks for it again. */
  #omitted(targetId: string): void {
    if (!this.#prompt || targetId !== this.#cutShort) return;
    this.#prompt.turns -= 1;
    this.#cutShort = undefined;
  }
}
