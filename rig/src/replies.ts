/** One tool call of a scripted answer. */
export interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
  /** What a tool that takes plain text is given instead of arguments. Only Responses has such tools. */
  input?: string;
}

/** What the provider bills for an answer. */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  /** Of the prompt's tokens, how many were read from a cache, and how many written to one. */
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
}

/** A completed answer of the model. */
export interface Answer {
  kind: "answer";
  text: string;
  toolCalls: readonly ToolCall[];
  usage: Usage;
  finishReason: "stop" | "tool_calls" | "length";
  /** Headers besides the usual ones. */
  headers?: Readonly<Record<string, string>>;
}

/** An HTTP error of the provider. */
export interface Failure {
  kind: "failure";
  status: number;
  message: string;
}

/** Headers, and then silence until either side hangs up. */
export interface Stall {
  kind: "stall";
}

/** The same text again and again, until either side hangs up. */
export interface Trickle {
  kind: "trickle";
  text: string;
}

/** A reply that is held back until a gate opens. */
export interface Held {
  kind: "held";
  reply: Reply;
  gate: Promise<void>;
}

/** What the scripted model does with one request. */
export type Reply = Answer | Failure | Stall | Trickle | Held;

const usualUsage: Usage = { promptTokens: 100, completionTokens: 20 };

/** Answers with text, which ends the run. */
export function says(text: string): Answer {
  return { kind: "answer", text, toolCalls: [], usage: usualUsage, finishReason: "stop" };
}

/** Answers with tool calls, which Pi runs in parallel when there are several: `calls(bash("ls"), bash("pwd"))`. */
export function calls(...toolCalls: ToolCall[]): Answer {
  return { kind: "answer", text: "", toolCalls, usage: usualUsage, finishReason: "tool_calls" };
}

/** A call of Pi's bash tool. */
export function bash(command: string): ToolCall {
  return { name: "bash", arguments: { command } };
}

/** The same answer with text beside its tool calls: `withText("Let me look.", calls(bash("ls")))`. */
export function withText(text: string, answer: Answer): Answer {
  return { ...answer, text };
}

/** The same answer at another price: `withUsage({ promptTokens: 90_000 }, says("done"))`. */
export function withUsage(usage: Partial<Usage>, answer: Answer): Answer {
  return { ...answer, usage: { ...answer.usage, ...usage } };
}

/** The same answer with more headers: `withHeaders({ "x-codex-primary-used-percent": "80" }, says("done"))`. */
export function withHeaders(headers: Readonly<Record<string, string>>, answer: Answer): Answer {
  return { ...answer, headers };
}

/** The same answer, ended by the provider because the output limit was reached. */
export function cutShort(answer: Answer): Answer {
  return { ...answer, finishReason: "length" };
}

/** Refuses the request with an HTTP error. Pi retries after 529. */
export function fails(status: number, message = status === 529 ? "Overloaded" : "Scripted failure"): Failure {
  return { kind: "failure", status, message };
}

/** Accepts the request and never answers. */
export function stalls(): Stall {
  return { kind: "stall" };
}

/** Answers with text that never ends. */
export function trickles(text: string): Trickle {
  return { kind: "trickle", text };
}

/** Gives the reply only once `gate` resolves: `slow(says("done"), released)`. */
export function slow(reply: Reply, gate: Promise<void>): Held {
  return { kind: "held", reply, gate };
}
