import type { Ask, Reply } from "../../core/governor/decision.ts";
import type { DialogQuestion, QuestionTool } from "../agents/question-tool.ts";
import { ownCallId } from "../protocols/own-calls.ts";
import type { Asked, MadeAnswer, Protocol } from "../protocols/protocol.ts";
import { Fingerprint } from "./fingerprint.ts";
import type { CountedRequest } from "./verdict.ts";
import type { WantedTurn } from "./wanted-turn.ts";

/** How a question is asked in a dialog, and what is replied. */
export interface DialogWords {
  /** `unread`: what was typed before, and is no reply. */
  question(question: Ask, unread: string | undefined): DialogQuestion;
  /** The reply in what was chosen and typed: a no counts before everything else. `undefined`: there is none. */
  reply(said: readonly string[], question: Ask): Reply | undefined;
}

/** The answer to a request in which the person is asked. */
export interface AskedThere {
  readonly kind: "dialog";
  readonly answer: MadeAnswer;
}

const NO_BYTES = new Uint8Array();

/** A request that waits, and offers the agent's tool for questions. */
interface WaitingRequest {
  readonly wanted: WantedTurn;
  readonly conversation: string;
  readonly protocol: Protocol;
  readonly asked: Asked;
  readonly tool: QuestionTool;
  /** What the request calls the tool. */
  readonly toolName: string;
  readonly fingerprint: Fingerprint;
  ask(there: AskedThere): void;
}

/** A question that is open. */
interface OpenQuestion {
  readonly ask: Ask;
  /** May it be asked in the dialog by now? */
  isDue: boolean;
  /** What was typed last, if it was no reply. */
  unread?: string | undefined;
  close(reply: Reply | undefined): void;
}

/** A dialog that the agent shows. */
interface Shown {
  readonly wanted: WantedTurn;
  /** That of the request that was answered with it. */
  readonly fingerprint: Fingerprint;
  readonly conversation: string;
  readonly tool: QuestionTool;
  readonly question: OpenQuestion;
  readonly text: DialogQuestion;
  /** Is it decided whether the turn may begin, because the question was answered elsewhere? */
  isDecided: boolean;
}

/**
 * Asks in the agent's own dialog: a request that waits is answered with a call of the agent's tool for questions, and the
 * next request brings the reply. Meanwhile no connection is open. To be given to a gateway as `dialog`, together with its
 * {@link ask}. A reply counts only as the result of the call that asked: once, and while the question is open.
 */
export class AgentDialog {
  readonly #words: DialogWords;
  /** Are requests held first, as long as the agent waits, so that a reply from elsewhere lets it go on at once? */
  readonly #isLast: boolean;
  #question: OpenQuestion | undefined;
  readonly #waiting = new Set<WaitingRequest>();
  /** By the ids of their calls. */
  readonly #shown = new Map<string, Shown>();

  /** `isLast`: the dialog is opened only when nobody has replied elsewhere for as long as the agent waits for an answer. */
  constructor(words: DialogWords, { isLast = false }: { readonly isLast?: boolean } = {}) {
    this.#words = words;
    this.#isLast = isLast;
  }

  /** Asks in the next request, or one that waits, that offers the tool. Resolves with nothing if it is answered elsewhere. */
  readonly ask = (question: Ask, signal: AbortSignal): Promise<Reply | undefined> =>
    new Promise((resolve) => {
      const open: OpenQuestion = {
        ask: question,
        // What goes on by itself must not have to wait for a dialog.
        isDue: !this.#isLast && !question.waits,
        close: (reply) => {
          if (this.#question === open) this.#question = undefined;
          resolve(reply);
        },
      };
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener("abort", () => open.close(undefined), { once: true });
      this.#question = open;
      this.#showAll();
    });

  /** Nobody has replied for as long as the agent waits. Does it ask in its dialog now? Then the question stays open. */
  goesOnAsking(): boolean {
    if (this.#question) this.#question.isDue = true;
    this.#showAll();
    return this.isOpen;
  }

  /** Does a turn wait for the person in a dialog? No request is held by it, so that it may take as long as they like. */
  get isOpen(): boolean {
    return [...this.#shown.values()].some(({ isDecided }) => !isDecided);
  }

  /**
   * Waits for a question that can be asked in this request, until its turn is decided. `undefined`: the agent's tool is not
   * offered in it.
   */
  waits(
    { protocol, asked, body, bytes }: Pick<CountedRequest, "protocol" | "asked" | "body" | "bytes">,
    tool: QuestionTool | undefined,
    conversation: string,
    wanted: WantedTurn,
  ): Promise<AskedThere> | undefined {
    if (!tool || !protocol || !asked || !body) return undefined;
    const offered = protocol.tools(body).find(({ name }) => name.split(".").at(-1) === tool.name);
    if (!offered || tool.isUsable?.(offered.description) === false) return undefined;
    const toolName = offered.name;
    return new Promise((ask) => {
      const request: WaitingRequest = {
        ...{ wanted, conversation, protocol, asked, tool, toolName, ask },
        fingerprint: Fingerprint.ofBytes(bytes ?? NO_BYTES),
      };
      this.#waiting.add(request);
      const over = () => this.#waiting.delete(request);
      wanted.turn.then(over, over);
      this.#show(request);
    });
  }

  /**
   * The turn that was held until this request came, with the result of the call that asked. The result is the reply, if the
   * question is still open. A request of the conversation that knows nothing of its dialog is another one: the dialog is gone,
   * and an agent that forgets dialogs which the person has closed has told so by that.
   */
  takenBack(
    { ownCalls, bytes }: Pick<CountedRequest, "ownCalls" | "bytes">,
    conversation: string,
  ): WantedTurn | undefined {
    for (const { id, result } of ownCalls) {
      const shown = this.#shown.get(id);
      if (!shown) continue;
      this.#shown.delete(id);
      this.#reply(shown, shown.tool.said(result, shown.text));
      return shown.wanted;
    }
    for (const [id, shown] of this.#shown) {
      if (shown.conversation !== conversation) continue;
      this.#shown.delete(id);
      if (
        shown.tool.isForgottenWhenClosed &&
        !shown.fingerprint.equals(Fingerprint.ofBytes(bytes ?? NO_BYTES))
      ) {
        this.#reply(shown, []);
        return shown.wanted;
      }
      shown.wanted.giveUp();
    }
    return undefined;
  }

  /** The agent has ended. What it still showed is answered with this. Returns the turns that nobody takes any more. */
  end(reply: Reply): WantedTurn[] {
    if (this.isOpen) this.#question?.close(reply);
    const wanted = [...this.#shown.values()].map(({ wanted }) => wanted);
    this.#shown.clear();
    return wanted;
  }

  #showAll(): void {
    for (const request of this.#waiting) this.#show(request);
  }

  #show(request: WaitingRequest): void {
    const question = this.#question;
    // Of sub-agents that wait, one asks for all.
    if (!question?.isDue || (this.isOpen && !request.wanted.isMainTurn)) return;
    const { wanted, conversation, protocol, asked, tool, toolName, fingerprint } = request;
    this.#waiting.delete(request);
    const id = ownCallId();
    const text = this.#words.question(question.ask, question.unread);
    const shown: Shown = {
      ...{ wanted, conversation, tool, question, text, isDecided: false, fingerprint },
    };
    const decided = () => {
      shown.isDecided = true;
    };
    wanted.turn.then(decided, decided);
    this.#shown.set(id, shown);
    // A dialog may be open for hours.
    fingerprint.readSoon();
    const answer = protocol.callAnswer({ id, tool: toolName, args: tool.args(text) }, asked);
    request.ask({ kind: "dialog", answer });
  }

  #reply({ question }: Shown, said: readonly string[] | undefined): void {
    // It was answered elsewhere.
    if (question !== this.#question) return;
    question.unread = undefined;
    if (!said) return;
    const reply = said.length === 0 ? false : this.#words.reply(said, question.ask);
    question.unread = reply === undefined ? said.at(-1) : undefined;
    if (reply !== undefined) question.close(reply);
  }
}
