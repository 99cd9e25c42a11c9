/** A small made-up host: a model, tools, a loop, and two hooks around what it does. It knows nothing of limits. */

export interface ToolCall {
  id: string;
  tool: string;
  args: Record<string, unknown>;
}

export type Message =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; calls: ToolCall[] }
  | { role: "tool"; text: string; callId: string };

export interface Request {
  messages: Message[];
  tools: string[];
  signal: AbortSignal;
}

export interface Answer {
  text: string;
  calls: ToolCall[];
  usage: { input: number; output: number };
}

export type Model = (request: Request) => Promise<Answer>;
export type Tools = Record<string, (args: ToolCall["args"]) => Promise<string>>;

const RETRIES = 2;

export class TinyAgent {
  readonly messages: Message[] = [];
  readonly #model: Model;
  readonly #tools: Tools;
  /** Hook: around each model request. Without an answer the run ends. */
  aroundRequest = async (request: Request, send: Model): Promise<Answer | undefined> => send(request);
  /** Hook: around each tool call, in the order in which the model made them. */
  aroundCall = async (_call: ToolCall, run: () => Promise<string>): Promise<string> => run();

  constructor(model: Model, tools: Tools) {
    this.#model = model;
    this.#tools = tools;
  }

  /** Works until the model calls no more tools, and returns its last answer. */
  async prompt(text: string, signal = new AbortController().signal): Promise<string | undefined> {
    this.messages.push({ role: "user", text });
    while (true) {
      const answer = await this.#request(signal);
      if (!answer) return undefined;
      this.messages.push({ role: "assistant", text: answer.text, calls: answer.calls });
      if (answer.calls.length === 0) return answer.text;
      this.messages.push(...(await Promise.all(answer.calls.map((call) => this.#call(call)))));
    }
  }

  async #request(signal: AbortSignal): Promise<Answer | undefined> {
    for (let retry = 0; ; retry += 1) {
      signal.throwIfAborted();
      const request = { messages: [...this.messages], tools: Object.keys(this.#tools), signal };
      try {
        return await this.aroundRequest(request, this.#model);
      } catch (error) {
        if (retry === RETRIES) throw error;
      }
    }
  }

  async #call(call: ToolCall): Promise<Message> {
    const run = async () => this.#tools[call.tool]?.(call.args) ?? `There is no tool ${call.tool}.`;
    // The model reads of a tool that failed what went wrong.
    const text = await this.aroundCall(call, run).catch((error: unknown) => String(error));
    return { role: "tool", text, callId: call.id };
  }
}
