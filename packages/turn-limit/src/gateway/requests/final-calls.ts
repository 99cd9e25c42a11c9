import { isFailed } from "../../core/limits/failed-result.ts";
import type { Run } from "../../run/run.ts";
import type { CountedRequest } from "./verdict.ts";

/** How many conversations are remembered. */
const MOST_REMEMBERED = 1_000;

/**
 * Tells a run that its agent has given its answer by the call of the final tool. The agent runs that by itself, so it is known
 * once a later request has its result.
 */
export class FinalCalls {
  readonly #run: Run;
  /** The tool with which the agent answers where its caller wants a form. */
  readonly #ofAgent: string | undefined;
  /** The last call of it that each conversation had in its newest request. */
  readonly #last = new Map<string, string | undefined>();

  constructor(run: Run, ofAgent: string | undefined) {
    this.#run = run;
    this.#ofAgent = ofAgent;
  }

  /** The tool with which the agent gives its answer, if the model can be held to it in this request. */
  toolIn({ protocol, body }: CountedRequest): string | false {
    const names = [this.#run.view.settings.finalTool, this.#ofAgent];
    return names.find((name) => name !== undefined && body && protocol?.canHoldTo(body, name)) ?? false;
  }

  /** A request of the agent's own loop came, which is none that is made again. */
  seen(conversation: string, request: CountedRequest): void {
    const { protocol, body } = request;
    const tool = this.toolIn(request);
    if (tool === false) return;
    const call = protocol && body && protocol.calls(body).findLast((made) => made.tool === tool);
    // What a conversation began with was made in an earlier run.
    const isNew =
      this.#last.has(conversation) && call !== undefined && this.#last.get(conversation) !== call.id;
    this.#last.delete(conversation);
    this.#last.set(conversation, call?.id);
    for (const [oldest] of this.#last) {
      if (this.#last.size <= MOST_REMEMBERED) break;
      this.#last.delete(oldest);
    }
    if (!isNew || !call) return;
    const { id, args, result } = call;
    const made = this.#run.turn.call({ id, tool, args });
    // What gives the answer draws from no pool, so nothing has to be waited for.
    if (made instanceof Promise || made.kind === "refused") return;
    made.executed();
    made.ended(result, isFailed(result));
  }
}
