import { limitError, type Proceed, type Stop, type Synthesize, type WrapUp } from "../../src/index.ts";
import {
  type AdapterOptions,
  type Call,
  type Executed,
  type Model,
  type Refused,
  Run,
  type RunCall,
  type RunHost,
  type SubAgent,
  type Turn,
  type TurnRequest,
  type TurnStop,
} from "../../src/run/index.ts";

type Failure = "failed" | "aborted";
type Usage = Parameters<Run["spend"]>[1];
type StepCall = Parameters<Turn["callAgain"]>[0];

/** What became of a turn that was wanted. */
export type Admission = Proceed | WrapUp | Synthesize | Stop;

/** A host that drives a run with one turn after the other: what is said is said of the last turn, or of the call by its id. */
export class Driver extends Run {
  readonly #subAgent: SubAgent;
  readonly #calls = new Map<string | undefined, Call[]>();
  #open: Turn[] = [];
  #last: Turn | undefined;

  constructor(options: AdapterOptions, host: RunHost = {}) {
    super(options, host);
    this.#subAgent = this.subAgent();
  }

  get signal() {
    return this.turn.signal;
  }

  get raisedError() {
    const { stop } = this.view;
    return stop ? limitError(stop) : undefined;
  }

  async admitTurn(signal?: AbortSignal, turn: TurnRequest = {}): Promise<Admission> {
    return this.#admission(await this.nextTurn({ signal, ...turn }));
  }

  async admitSubAgentTurn(signal?: AbortSignal, turn: TurnRequest = {}): Promise<Admission> {
    return this.#admission(await this.#subAgent.nextTurn({ signal, ...turn }));
  }

  refusal(call: StepCall = {}): string | undefined | Promise<string | undefined> {
    const refusal = (decided: Call | Refused) => {
      if (decided.kind === "refused") return decided.reason;
      this.#calls.set(call.id, [...(this.#calls.get(call.id) ?? []), decided]);
      return undefined;
    };
    const decided = this.#turn.call(call);
    return decided instanceof Promise ? decided.then(refusal) : refusal(decided);
  }

  /** Executes the call of this id, or one that was never admitted. */
  execute<Result>({ id }: StepCall, run: RunCall<Result>): Promise<Executed<Result>> {
    const call = this.#calls.get(id)?.shift();
    return (call ?? this.#turn.unadmittedCall({ id })).execute(run);
  }

  executeAgain<Result>(call: StepCall, run: RunCall<Result>): Promise<Executed<Result>> {
    return this.#turn.callAgain(call).execute(run);
  }

  stepEnded({ id }: StepCall, result: unknown): void {
    (this.#calls.get(id)?.[0] ?? this.#turn.callAgain({ id })).ended(result);
  }

  stepDenied({ id }: { id: string }): void {
    this.#calls.get(id)?.[0]?.denied();
  }

  requestSent(): void {
    this.#turn.sent();
  }

  turnEnded(end: Failure | { failure?: Failure; usage?: Usage } = {}, model?: Model): void {
    const { failure, usage } = typeof end === "string" ? { failure: end, usage: undefined } : end;
    const turn = this.#open.pop() ?? this.#turn;
    if (failure) turn.failed(failure, { usage, model });
    else turn.answered({ usage, model });
  }

  get #turn(): Turn {
    return this.#last ?? this.turn;
  }

  #admission(turn: Turn | TurnStop): Admission {
    if (turn.kind === "stop") return turn;
    this.#last = turn;
    this.#open.push(turn);
    const { message, lastBecauseOf } = turn;
    if (lastBecauseOf) return { ...lastBecauseOf, kind: "synthesize", message: message as string };
    return message === undefined ? { kind: "proceed" } : { kind: "wrap-up", message };
  }
}
