import type { Reply, Stop } from "../../core/governor/decision.ts";
import type { SubAgent } from "../../run/agent.ts";
import type { Run } from "../../run/run.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";
import type { QuestionTool } from "../agents/question-tool.ts";
import type { AgentDialog, AskedThere } from "./agent-dialog.ts";
import type { FinalCalls } from "./final-calls.ts";
import type { Loops } from "./loops.ts";
import type { RecognisedTurn, Recognition } from "./recognition.ts";
import type { CountedRequest } from "./verdict.ts";

/** A turn that a request of an agent wants, until it is decided. */
export interface WantedTurn {
  readonly turn: Promise<Turn | TurnStop>;
  /** The agent that takes it. */
  readonly agent: Pick<SubAgent, "nextTurn">;
  /** Is it a turn of the agent's own loop? */
  readonly isMainTurn: boolean;
  /** What the model is told in it of a loop that it is in. */
  readonly loop: string | undefined;
  /** To be called with whether it was admitted. */
  decided(begun: boolean): void;
  /** To be called when its request is over: did a whole answer arrive? */
  ended(isAnswered: boolean): void;
  /** Nobody waits for it any more. */
  giveUp(): void;
}

/** The turns that the requests of a run want. One for which the agent asks in a dialog goes on in a later request. */
export class WantedTurns {
  readonly #run: Run;
  readonly #recognition: Recognition;
  readonly #loops: Loops;
  readonly #finalCalls: FinalCalls;
  readonly #dialog: AgentDialog | undefined;
  readonly #tool: QuestionTool | undefined;

  /** `dialog`: where the run asks, if the agent has a `tool` for that. */
  constructor(
    run: Run,
    recognition: Recognition,
    loops: Loops,
    finalCalls: FinalCalls,
    dialog: AgentDialog | undefined,
    tool: QuestionTool | undefined,
  ) {
    this.#run = run;
    this.#recognition = recognition;
    this.#loops = loops;
    this.#finalCalls = finalCalls;
    this.#dialog = tool && dialog;
    this.#tool = tool;
  }

  /** Nobody has replied for as long as the agent waits. Is the person asked in its dialog all the same? */
  goesOnAsking(): boolean {
    return this.#dialog?.goesOnAsking() === true;
  }

  /** The turn that this request wants, or that was held until it came. */
  async of(
    request: CountedRequest,
    recognised: RecognisedTurn,
    priced: boolean,
    gone: AbortSignal | undefined,
  ): Promise<WantedTurn> {
    const { conversation, isSubAgent } = recognised;
    const held = this.#dialog?.takenBack(request, conversation);
    if (held) {
      const goesOn = this.#recognition.goesOnIn(recognised, request);
      const decided = (begun: boolean) => {
        held.decided(begun);
        goesOn.decided(begun);
      };
      return { ...held, decided, ended: goesOn.ended };
    }
    const agent = isSubAgent ? this.#run.subAgent() : this.#run;
    const { isRetry, decided, ended } = await this.#recognition.seenBefore(recognised, request);
    const loop = this.#loops.told(recognised, request, isRetry);
    if (!isSubAgent && !isRetry) this.#finalCalls.seen(conversation, request);
    const finalTool = this.#finalCalls.toolIn(request);
    const hears = request.protocol !== undefined && request.body !== undefined;
    const over = this.#dialog && new AbortController();
    const signal = over && gone ? AbortSignal.any([over.signal, gone]) : gone;
    return {
      turn: agent.nextTurn({ signal, as: isRetry ? "retry" : "turn", priced, hears, finalTool }),
      ...{ agent, isMainTurn: !isSubAgent, loop, decided, ended },
      giveUp: () => {
        over?.abort();
        decided(false);
      },
    };
  }

  /** Decides it, or has the person asked in the agent's dialog: then it goes on in a later request. */
  decide(
    wanted: WantedTurn,
    request: CountedRequest,
    { conversation }: RecognisedTurn,
  ): Promise<Turn | TurnStop | AskedThere> {
    const asked = this.#dialog?.waits(request, this.#tool, conversation, wanted);
    return asked ? Promise.race([wanted.turn, asked]) : wanted.turn;
  }

  /**
   * Gives back the turns that were held for a dialog when the agent ended. The question of the dialog is answered with this.
   * Resolves with what ended the run by that.
   */
  async end(reply: Reply): Promise<Stop | undefined> {
    const left = this.#dialog?.end(reply) ?? [];
    for (const wanted of left) {
      const turn = await wanted.turn;
      wanted.decided(false);
      if (turn.kind !== "stop") turn.abandon();
    }
    return (left.length > 0 && this.#run.view.stop) || undefined;
  }
}
