import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import type { Reply } from "turn-limit";
import { type Matches, readKey } from "../../person/key-press.ts";
import type { ScreenTheme } from "../screen.ts";
import type { Question, Replies } from "./question.ts";
import { asked, begunReply, type Focus, press, type QuestionState } from "./question-state.ts";
import { renderQuestion } from "./render-question.ts";

const WIDGET = "turn-limit:question";
/** How long a `y` or an `n` waits for the rest of a word. */
const WORD_MS = 500;

/** What the question needs from Pi's UI. */
export type ScreenUi = Pick<
  ExtensionUIContext,
  "custom" | "getEditorText" | "onTerminalInput" | "pasteToEditor" | "setWidget"
>;

/** Pi's terminal. Its types do not name what has the keys, so a version without it is possible. */
interface Terminal {
  getFocusedComponent?(): object | null;
  requestRender(): void;
}

/**
 * Asks above the editor, on Pi's own terminal. The question takes neither the editor's place nor the keys of a dialog: it
 * sees each key first, takes those that are meant for it, and lets the others go where the person is. Withdrawn, it is a
 * no. `undefined` if this Pi does not tell what has the keys.
 */
export async function askOnScreen(
  ui: ScreenUi,
  question: Question,
  signal: AbortSignal,
  replies: Replies,
): Promise<Reply | undefined> {
  if (signal.aborted) return false;
  let answer: (reply: Reply | undefined) => void = () => {};
  const answered = new Promise<Reply | undefined>((resolve) => {
    answer = resolve;
  });
  const matches = announce(ui, answered);
  const open = matches && new OpenQuestion(ui, question, matches, answer, replies);
  // At once: another question may take its place.
  const withdraw = () => {
    replies.ourQuestionCloses();
    open?.close();
    answer(false);
  };
  signal.addEventListener("abort", withdraw);
  if (!open?.canAsk) answer(undefined);
  try {
    return await answered;
  } finally {
    signal.removeEventListener("abort", withdraw);
    open?.close();
  }
}

/**
 * Tells other extensions that a person is being asked, and returns Pi's key bindings. A component that never comes shows
 * nothing and takes no keys; it ends as a failure, because Pi 0.87.1 would close another overlay otherwise.
 */
function announce(ui: ScreenUi, answered: Promise<unknown>): Matches | undefined {
  let matches: Matches | undefined;
  const never = answered.then(() => Promise.reject<never>(new Error("The question is over.")));
  const shown = ui.custom<void>(
    (_tui, _theme, keys) => {
      matches = (data, binding) => keys.matches(data, binding);
      return never;
    },
    { overlay: true },
  );
  for (const over of [never, shown]) over.catch(() => {});
  return matches;
}

class OpenQuestion {
  readonly #ui: ScreenUi;
  readonly #question: Question;
  readonly #matches: Matches;
  readonly #answer: (reply: Reply) => void;
  readonly #replies: Replies;
  readonly #stopListening: () => void;
  #terminal: Terminal | undefined;
  #state: QuestionState;
  #word: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    ui: ScreenUi,
    question: Question,
    matches: Matches,
    answer: (reply: Reply) => void,
    replies: Replies,
  ) {
    this.#replies = replies;
    this.#ui = ui;
    this.#question = question;
    this.#matches = matches;
    this.#answer = answer;
    this.#show();
    this.#state = asked(this.#focus());
    this.#stopListening = ui.onTerminalInput((data) => this.#press(data));
  }

  get canAsk(): boolean {
    return this.#terminal?.getFocusedComponent !== undefined;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#word);
    this.#stopListening();
    this.#ui.setWidget(WIDGET, undefined);
  }

  #press(data: string): { consume: boolean } | undefined {
    // Pi can change over to another terminal of its own.
    if (this.#terminal?.getFocusedComponent?.() === null) this.#show();
    clearTimeout(this.#word);
    const key = readKey(data, this.#matches);
    const focus = this.#focus();
    const pressed = press(this.#state, key, focus, this.#question);
    if (focus === "elsewhere" && key.is("tui.select.confirm")) this.#replies.repliedElsewhere();
    if (pressed.kind === "answered") {
      this.#replies.repliedToUs();
      // At once: the next key is for Pi.
      this.close();
      this.#answer(pressed.reply);
      return { consume: true };
    }
    this.#state = pressed.state;
    if (pressed.kind === "passed") {
      if (pressed.before !== "") this.#ui.pasteToEditor(pressed.before);
      return undefined;
    }
    this.#replies.repliedToUs();
    this.#answerUnlessAWordFollows();
    this.#terminal?.requestRender();
    return { consume: true };
  }

  #answerUnlessAWordFollows(): void {
    const reply = begunReply(this.#state);
    if (reply !== undefined) this.#word = setTimeout(() => this.#answer(reply), WORD_MS);
  }

  #show(): void {
    this.#ui.setWidget(WIDGET, (terminal: Terminal, theme: ScreenTheme) => {
      this.#terminal = terminal;
      return {
        render: (width) => renderQuestion(this.#question, this.#state, this.#focus(), width, theme),
        invalidate() {},
      };
    });
  }

  #focus(): Focus {
    const focused = this.#terminal?.getFocusedComponent?.();
    if (!isEditor(focused)) return "elsewhere";
    return focused.getText() === "" && this.#ui.getEditorText() === "" ? "empty editor" : "editor";
  }
}

function isEditor(component: object | null | undefined): component is { getText(): string } {
  return !!component && "getText" in component && typeof component.getText === "function";
}
