import type { Experimental_ToolCallerTool, Tool, ToolSet } from "ai";
import { newHiddenField } from "../../core/hidden-field.ts";
import { withMethod } from "../shared/with-method.ts";
import { lastIfPromised, resultsOf, streamsResults } from "./execute-tool.ts";
import type { ToolLoops } from "./tool-loops.ts";

// What a governed set was made from: for a second limiter, the set that the first one made.
const givenFor = newHiddenField<ToolSet>();

/** Are the tools of a call this set, or made from it by limiters that came later? */
export function isMadeFrom(tools: ToolSet | undefined, set: ToolSet | undefined): boolean {
  let made = tools;
  while (made && made !== set) made = givenFor.get(made);
  return made !== undefined;
}

/** The caller's tools for one call, each of whose calls goes through the loop that it belongs to. */
export class GovernedTools {
  /** A set of its own, because before the first step a call, and the result of a stream, have nothing else to be recognised by. */
  readonly set: ToolSet;
  readonly #given: ToolSet;
  readonly #loops: ToolLoops;
  readonly #known = new Map<string, { tool: Tool; governed: Tool }>();

  constructor(given: ToolSet, loops: ToolLoops) {
    this.set = Object.create(Object.getPrototypeOf(given));
    this.#given = given;
    this.#loops = loops;
    givenFor.set(this.set, given);
    this.refresh();
  }

  /** Takes over what the caller has changed about the tools. */
  refresh(): void {
    const { set } = this;
    const given = this.#given;
    const names = Object.keys(given);
    for (const name of names) {
      const value = this.#governed(name, given[name] as Tool);
      if (set[name] === value && Object.hasOwn(set, name)) continue;
      Object.defineProperty(set, name, { value, enumerable: true, configurable: true, writable: true });
    }
    const all = Object.keys(set);
    if (all.length === names.length) return;
    for (const name of all) if (!Object.hasOwn(given, name)) delete set[name];
  }

  #governed(name: string, tool: Tool): Tool {
    if (typeof tool !== "object" || tool === null) return tool;
    let known = this.#known.get(name);
    if (known?.tool !== tool) {
      known = { tool, governed: this.#govern(name, tool) };
      this.#known.set(name, known);
    }
    return known.governed;
  }

  #govern(name: string, tool: Tool): Tool {
    const { execute } = tool;
    if (!execute) return this.#governCaller(name, tool);
    const start: typeof execute = (input: unknown, options) => {
      const { toolCallId, messages, abortSignal: signal } = options;
      const call = { id: toolCallId, tool: name, args: input };
      const run = (own?: AbortSignal) =>
        execute.call(tool, input, own ? { ...options, abortSignal: own } : options);
      const loop = this.#loops.ofToolCall(messages, this.set);
      return loop ? loop.execute({ call, signal, run }) : run();
    };
    // The SDK has to see at once whether a tool streams its results, while a pool may have to be waited for.
    const governed: typeof execute = streamsResults(execute)
      ? (input, options) => resultsOf(() => start(input, options))
      : (input, options) => lastIfPromised(start(input, options));
    return this.#governCaller(name, withMethod(tool, "execute", governed));
  }

  // The SDK replaces a tool that calls others by one that knows them.
  #governCaller(name: string, tool: Tool): Tool {
    const { experimental_toolCaller: caller } = tool as Partial<Experimental_ToolCallerTool>;
    if (caller?.type !== "local") return tool;
    const governed = withMethod(caller, "bind", (tools) => this.#govern(name, caller.bind(tools)));
    return withMethod(tool as Experimental_ToolCallerTool, "experimental_toolCaller", governed);
  }
}
