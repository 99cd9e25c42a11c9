import type { WrapModelCallHook, WrapToolCallHook } from "langchain";
import type { stateSchema } from "./agent-state.ts";

type ModelHook = WrapModelCallHook<typeof stateSchema>;
type Request = Parameters<ModelHook>[0];

/** A tool that no agent has. */
const UNKNOWN_TOOL = { lc_runnable: true, name: "turn-limit-unknown-tool" };

/** The limits' hook around tool calls. */
export class ToolCallHook {
  readonly #hook: WrapToolCallHook<typeof stateSchema>;
  #isHidden = false;

  constructor(hook: WrapToolCallHook<typeof stateSchema>) {
    this.#hook = hook;
  }

  /** The hook, as LangChain finds it. */
  get hook(): WrapToolCallHook<typeof stateSchema> | undefined {
    return this.#isHidden ? undefined : this.#hook;
  }

  /**
   * Does other middleware of the agent wrap tool calls, too? Nobody says so. But LangChain refuses a request with a tool
   * that the agent does not have, unless there is such middleware: so it is given one, while this hook is out of sight.
   */
  async isOneOfSeveral(request: Request, handler: Parameters<ModelHook>[1]): Promise<boolean> {
    const accepted = new Error("Only the tools of this request are there to be read.");
    // It cannot be made: if its tools are accepted, whatever is read next throws.
    const unmakeable = new Proxy(request, {
      get(_, key) {
        if (key === "tools") return [UNKNOWN_TOOL];
        throw accepted;
      },
    });
    const refusal = this.#whileHidden(async () => handler(unmakeable));
    return (await refusal.catch((error: unknown) => error)) === accepted;
  }

  // The tools are looked at before anything is awaited.
  #whileHidden<Result>(look: () => Result): Result {
    this.#isHidden = true;
    try {
      return look();
    } finally {
      this.#isHidden = false;
    }
  }
}
