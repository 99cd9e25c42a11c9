import { isPlainObject } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { actionOf, type Decide } from "../limits/policy.ts";
import type { Activity } from "../meter/counting.ts";
import { Meter, type Reading, savedReading } from "../meter/meter.ts";
import { Audit } from "./audit.ts";
import { Budgets, type Reached } from "./budgets.ts";
import { Run } from "./run.ts";
import {
  type CompleteSettings,
  type GovernorSettings,
  KIND_NAMES,
  limitsOf,
  requireSettings,
} from "./settings.ts";
import { type GovernorState, requireSealed, sealed } from "./state.ts";
import { WrapUpSwitch } from "./wrap-up-switch.ts";

/** What a governor is created from. */
export type GovernorOptions = GovernorSettings & {
  /** Goes on from the `state` of an earlier governor. Its limits and counters win over the options. */
  readonly state?: GovernorState | undefined;
};

/** What a governor is made of, and what several of its parts say together. */
export class Parts {
  settings: CompleteSettings;
  readonly meter: Meter;
  /** The readings at the last prompt, and when the run began. */
  prompted: Reading;
  opened: Reading;
  readonly budgets: Budgets;
  readonly run: Run;
  readonly wrapUp: WrapUpSwitch;
  readonly audit: Audit;
  /** Has a person said no since the last prompt? */
  declined: boolean;
  /** How many questions were asked, and how many of them before this run. */
  questions: number;
  earlierQuestions: number;

  constructor(options: GovernorOptions) {
    if (!isPlainObject(options)) throw new InvalidLimit("settings", options, "an object with limits");
    const { state: saved, ...given } = options;
    const state = saved === undefined ? undefined : requireSealed(saved);
    const settings = requireSettings(given);
    this.settings = state ? restored(settings, state) : settings;
    this.meter = new Meter(state?.meter);
    const now = this.meter.read();
    const readings = state?.readings.map(savedReading) ?? [];
    this.prompted = readings[0] ?? now;
    this.opened = readings[state?.openedAt ?? 0] ?? now;
    this.budgets = new Budgets(this.meter, limitsOf(this.settings), state?.budgets, readings);
    this.run = new Run(state?.run);
    this.wrapUp = new WrapUpSwitch(state?.wrapUp);
    this.audit = new Audit(state?.audit);
    this.declined = state?.declined ?? false;
    this.questions = state?.questions ?? 0;
    this.earlierQuestions = state?.earlierQuestions ?? 0;
    // Saved during a question, and there is no person any more to answer it.
    if (!this.settings.canAsk) this.run.release();
  }

  /** What is done at the boundary of a limit with this policy. */
  readonly decide: Decide = (policy) => {
    const action = actionOf(policy, this.settings.canAsk);
    // A no stands until a person prompts or changes a limit: a program that goes on does not bring the question back.
    return action === "ask" && this.declined ? "decline" : action;
  };

  /** The same, as if nobody could be asked. */
  readonly decideAlone: Decide = (policy) => actionOf(policy, false);

  /** The budget that does not cover the next request, which may be a retry. */
  reached(activity: Activity = this.run.repeatsRequest ? "retry" : "turn"): Reached | undefined {
    return this.budgets.beforeTurn(activity, this.decide, this.isUnpriced);
  }

  /** As {@link reached}, as if nobody could be asked. */
  reachedAlone(activity: Activity): Reached | undefined {
    return this.budgets.beforeTurn(activity, this.decideAlone, this.isUnpriced);
  }

  /** As {@link reached}, without limits whose budget is shared. */
  ownReached(activity: Activity = this.run.repeatsRequest ? "retry" : "turn"): Reached | undefined {
    return this.budgets.ownBeforeTurn(activity, this.decide, this.isUnpriced);
  }

  /** As {@link reached}, looking at limits only whose budget is shared. */
  sharedReached(activity: Activity = this.run.repeatsRequest ? "retry" : "turn"): Reached | undefined {
    return this.budgets.sharedBeforeTurn(activity, this.decide);
  }

  /** Was something spent since the prompt whose price is not known? */
  get isUnpriced(): boolean {
    return this.meter.current.unpriced > this.prompted.unpriced;
  }

  /** Did the run take a turn, or run a call? Otherwise there is nothing to make an answer from. */
  get hasEvidence(): boolean {
    const { turns, steps } = this.meter.current;
    return turns > this.opened.turns || steps > this.opened.steps;
  }

  /** Turns begun in this round. */
  get turnsUsed(): number {
    return this.meter.current.turns - this.budgets.turns.since.turns;
  }

  /** Turns of this round whose answer arrived and was not thrown away. */
  get turnsCompleted(): number {
    const { current } = this.meter;
    const { since } = this.budgets.turns;
    return current.completed - since.completed - (current.discarded - since.discarded);
  }

  toState(): GovernorState {
    const readings = [this.prompted];
    const placeOf = (reading: Reading) => {
      const known = readings.indexOf(reading);
      return known < 0 ? readings.push(reading) - 1 : known;
    };
    return sealed({
      settings: Object.fromEntries(KIND_NAMES.map((name) => [name, this.settings[name]])),
      meter: this.meter.toState(),
      readings,
      openedAt: placeOf(this.opened),
      budgets: this.budgets.toState(placeOf),
      run: this.run.state,
      wrapUp: this.wrapUp.state,
      audit: this.audit.toState(),
      declined: this.declined,
      questions: this.questions,
      earlierQuestions: this.earlierQuestions,
    });
  }
}

// The limits are the state's. Functions, texts and custom limits have to be given again.
function restored(given: CompleteSettings, { settings }: GovernorState): CompleteSettings {
  const { wrapUp } = given.turns;
  const { limits, synthesisMessage, canAsk } = given;
  const turns = { ...(settings.turns as object), wrapUp };
  return requireSettings({ ...settings, turns, limits, synthesisMessage, canAsk });
}
