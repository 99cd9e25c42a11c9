/** The tool calls that were executed in the turn of each agent of a run. */
export class ExecutedCalls {
  readonly #ids = new Map<string, Set<string>>();

  /** Is it the first time? A call without an id is like no other. */
  add(agent: string, id: string | undefined): boolean {
    if (id === undefined) return true;
    const ids = this.#ids.get(agent) ?? new Set();
    this.#ids.set(agent, ids);
    return ids.size < ids.add(id).size;
  }

  /** The agent's turn is over. */
  clear(agent: string): void {
    this.#ids.delete(agent);
  }
}
