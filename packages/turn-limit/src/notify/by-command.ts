import type { Channel, Notification, NotifiedQuestion, Timing } from "./channel.ts";
import { outputOf } from "./shell-command.ts";

/** A command that reads each notification as a line of JSON. It cannot answer. */
export class NotifyCommand implements Channel {
  readonly name: string;
  readonly where = "by the command";
  readonly canReply = false;
  readonly #line: string;
  readonly #timing: Timing;
  readonly #closed = new AbortController();

  constructor(line: string, timing: Timing) {
    this.name = nameOf(line);
    this.#line = line;
    this.#timing = timing;
  }

  whatToDo(): string {
    return "Run it by hand, with a line of JSON as its input";
  }

  async tell({ about, title, text, facts }: Notification): Promise<void> {
    const { within } = this.#timing;
    const late = AbortSignal.timeout(within);
    const signal = AbortSignal.any([this.#closed.signal, late]);
    const input = `${JSON.stringify({ about, title, text, ...facts })}\n`;
    // What it writes would be in the way of the agent.
    const output = await outputOf(this.#line, input, signal, true);
    if (output === undefined && late.aborted) throw new Error(`it did not end within ${within / 1_000} s`);
  }

  async ask(question: NotifiedQuestion): Promise<undefined> {
    await this.tell(question);
  }

  close(): void {
    this.#closed.abort();
  }
}

// The rest of the line may hold a secret.
function nameOf(line: string): string {
  const [program = ""] = line.split(/\s/);
  return /^[-\w./]+$/.test(program) ? `command ${program}` : "the command";
}
