type Tools = Record<string, unknown>;
type Execute = (input: unknown, context: CallContext) => unknown;
interface CallContext {
  toolCallId?: string;
  agent?: { toolCallId?: string };
}

/** The tools of a run. Its calls are admitted in the order in which the model made them, however they are started. */
export class GovernedTools {
  readonly #refusal: () => string | undefined;
  readonly #governed = new WeakMap<object, object>();
  #offered: Tools = {};
  #undecided: string[] = [];
  readonly #refusals = new Map<string, string | undefined>();

  /** Takes what says why the next call must not run. */
  constructor(refusal: () => string | undefined) {
    this.#refusal = refusal;
  }

  /** The tools of the turn that begins, governed. */
  offer(tools: Tools): Tools {
    this.#undecided = [];
    this.#refusals.clear();
    this.#offered = Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, this.#govern(tool)]),
    );
    return this.#offered;
  }

  /** The model made this call. */
  called(name: string, id: string): void {
    if (name in this.#offered) this.#undecided.push(id);
  }

  #govern(tool: unknown): unknown {
    if (typeof tool !== "object" || tool === null || !("execute" in tool)) return tool;
    const known = this.#governed.get(tool);
    if (known) return known;
    const execute: Execute = async (input, context) => {
      const refusal = this.#refusalOf(context.toolCallId ?? context.agent?.toolCallId ?? "");
      if (refusal !== undefined) throw new Error(refusal);
      return (tool.execute as Execute)(input, context);
    };
    // The host's own tools are instances of a class that it recognises: a copy would not do.
    const governed = new Proxy(tool, {
      get: (target, key) =>
        key === "execute" && target.execute ? execute : Reflect.get(target, key, target),
    });
    this.#governed.set(tool, governed);
    return governed;
  }

  #refusalOf(id: string): string | undefined {
    while (!this.#refusals.has(id)) this.#refusals.set(this.#undecided.shift() ?? id, this.#refusal());
    const refusal = this.#refusals.get(id);
    this.#refusals.delete(id);
    return refusal;
  }
}
