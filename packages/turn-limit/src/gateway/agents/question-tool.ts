import { objectsIn, textIn } from "../protocols/parts-of-json.ts";
import type { Json } from "../protocols/protocol.ts";

/** A question for a dialog. */
export interface DialogQuestion {
  readonly text: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
}

/** An agent's own tool that asks the person in a dialog. */
export interface QuestionTool {
  /** Its name, without a namespace. */
  readonly name: string;
  /** Can it be used where it is described like this? Default: yes. */
  isUsable?(description: string | undefined): boolean;
  /** Does the agent forget the call if the person closes the dialog? Then no later request says so. */
  readonly isForgottenWhenClosed?: boolean;
  /** The arguments of a call that asks this. */
  args(question: DialogQuestion): Json;
  /**
   * What the person chose, and what they typed after it, in the result of such a call. Nothing: they closed the dialog, or it
   * cannot be read. `undefined`: the dialog closed by itself, and is to be opened again.
   */
  said(result: unknown, question: DialogQuestion): readonly string[] | undefined;
}

/** Above the question, so that it is clear who asks. Claude Code allows 12 characters. */
export const QUESTION_HEADER = "turn-limit";

/** The arguments of one question, as agents have it. `more`: what only one of them has in it. */
export function questionArgs({ text, options }: DialogQuestion, more: Json = {}): Json {
  return { questions: [{ question: text, header: QUESTION_HEADER, options, ...more }] };
}

/** The text of a call's result. `undefined`: it is none, or that of a call that failed. */
export function textOfResult(result: unknown): string | undefined {
  if (!Array.isArray(result)) return textIn(result);
  return textIn(
    objectsIn(result)
      .map(({ text }) => text)
      .join(""),
  );
}

/** What was answered to this question, where a result says `"question"="answer"`. */
export function answerIn(result: unknown, { text }: DialogQuestion): string[] {
  return after(`"${text}"="`, textOfResult(result)).map((answer) => answer.split('"', 1)[0] ?? "");
}

/** What comes after these words, if they are there. */
export function after(words: string, text = ""): string[] {
  const at = text.indexOf(words);
  return at < 0 ? [] : [text.slice(at + words.length)];
}
