import type { Call } from "../../run/call.ts";

/** A tool call that the program asked about. */
interface AskedCall {
  /** It may run, and is not known to have its result. */
  open?: Call;
  /** A person, a rule or another hook denied it. */
  isDenied?: true;
  /** Is it the model's answer, and has the program accepted that? */
  answer?: "given" | "accepted";
}

/** With `outputFormat` the model answers by calling this tool of the program. That is an answer, and no step. */
const ANSWER = "StructuredOutput";

/** The tool calls of the program, from the hook before each to its result. */
export class ToolCalls {
  readonly #asked = new Map<string, AskedCall>();

  /** Are calls under way, so that the run can go on without their results? */
  get areOpen(): boolean {
    return [...this.#asked.values()].some(({ open }) => open);
  }

  /** The program asks about a call. Is it the model's answer, which may always be made? */
  isAnswer(id: string, tool: string): boolean {
    const isAnswer = tool === ANSWER;
    this.#asked.set(id, isAnswer ? { answer: "given" } : {});
    return isAnswer;
  }

  /** The program is about to run the call. */
  begin(id: string, call: Call): void {
    this.#note(id, { open: call });
    call.executed();
  }

  denied(id: string): void {
    this.#note(id, { isDenied: true });
  }

  /** The call has its result, also if it was denied. One of which that is not known has run. Has it? */
  ended(id: string, result: unknown): boolean {
    const asked = this.#asked.get(id);
    if (asked?.isDenied) asked.open?.denied();
    else asked?.open?.ended(result);
    delete asked?.open;
    return !asked?.isDenied;
  }

  /** Is it an answer that the program accepted? Then it asks the model no more. */
  isAccepted(id: string): boolean {
    return this.#asked.get(id)?.answer === "accepted";
  }

  /** A call is known to have succeeded. Did the program ask about it? */
  succeeded(id: string): boolean {
    const asked = this.#asked.get(id);
    if (asked?.answer) asked.answer = "accepted";
    return asked !== undefined;
  }

  /** The run is over. */
  forget(): void {
    this.#asked.clear();
  }

  #note(id: string, known: AskedCall): void {
    Object.assign(this.#asked.get(id) ?? {}, known);
  }
}
