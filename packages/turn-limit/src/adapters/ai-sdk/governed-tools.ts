import type { Experimental_ToolCallerTool, ModelMessage, Tool, ToolSet } from "ai";
import { withMethod } from "../shared/with-method.ts";
import type { ToolLoop } from "./tool-loop.ts";

/** Which loop a tool call belongs to, by the messages that its tool gets. */
type FindLoop = (messages: ModelMessage[], toolCallId: string) => ToolLoop | undefined;

// What a governed set was made from: for a second limiter, the set that the first one made.
const givenFor = new WeakMap<ToolSet, ToolSet>();

/** The caller's tools, each of whose calls goes through the loop that it belongs to. */
export class GovernedTools {
  readonly #loopOf: FindLoop;
  readonly #made = new WeakSet<ToolSet>();
  readonly #known = new Map<string, { tool: Tool; governed: Tool }>();

  constructor(loopOf: FindLoop) {
    this.#loopOf = loopOf;
  }

  /** The tools for one call: a set of its own, because the result of a stream has nothing else to be recognised by. */
  of(tools: ToolSet): ToolSet {
    const governed: ToolSet = Object.create(Object.getPrototypeOf(tools));
    givenFor.set(governed, tools);
    this.#made.add(governed);
    this.refresh(governed);
    return governed;
  }

  /** The set that {@link of} made for the call that has these tools. They are another limiter's if that one came last. */
  madeFor(tools: ToolSet | undefined): ToolSet | undefined {
    let made = tools;
    while (made && !this.#made.has(made)) made = givenFor.get(made);
    return made;
  }

  /** Takes over what the caller has changed about the tools since {@link of} made this set of them. */
  refresh(governed: ToolSet): void {
    const tools = givenFor.get(governed);
    if (!tools) return;
    const names = Object.keys(tools);
    for (const name of names) {
      const value = this.#governed(name, tools[name] as Tool);
      if (governed[name] === value && Object.hasOwn(governed, name)) continue;
      Object.defineProperty(governed, name, { value, enumerable: true, configurable: true, writable: true });
    }
    const all = Object.keys(governed);
    if (all.length === names.length) return;
    for (const name of all) if (!Object.hasOwn(tools, name)) delete governed[name];
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
    const governed: typeof execute = (input: unknown, options) => {
      const { toolCallId, messages, abortSignal: signal } = options;
      const call = { id: toolCallId, tool: name, args: input };
      const run = (own?: AbortSignal) =>
        execute.call(tool, input, own ? { ...options, abortSignal: own } : options);
      const loop = this.#loopOf(messages, toolCallId);
      return loop ? loop.execute({ call, signal, run }) : run();
    };
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
