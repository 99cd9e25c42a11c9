import type { Call } from "../../run/call.ts";
import { ANSWER } from "./program.ts";

/** A tool call that the program asked about. */
interface AskedCall {
  /** It may run, and is not known to have its result. */
  open?: Call;
  /** A person, a rule or another hook denied it. */
  isDenied?: true;
  /** What is known of its result. */
  result?: "succeeded" | "failed";
  /** Is it the model's answer, and has the program accepted that? */
  answer?: "given" | "accepted";
}

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
    // Nothing but what is known to have succeeded is an answer, and nothing but what is known to have failed an error.
    else
      asked?.open?.ended(
        result,
        asked.open.isAnswer ? asked.result !== "succeeded" : asked.result === "failed",
      );
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
    if (asked) asked.result = "succeeded";
    if (asked?.answer) asked.answer = "accepted";
    return asked !== undefined;
  }

  /** A call is known to have failed. */
  failed(id: string): void {
    this.#note(id, { result: "failed" });
  }

  /** The run is over. A call that was denied, or cancelled before it began, has not run. */
  end(): void {
    for (const { open, isDenied } of this.#asked.values()) if (isDenied) open?.denied();
    this.#asked.clear();
  }

  #note(id: string, known: AskedCall): void {
    Object.assign(this.#asked.get(id) ?? {}, known);
  }
}
