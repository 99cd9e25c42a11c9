import type { Ask } from "../core/governor/decision.ts";
import type { Outcome } from "../core/governor/outcome.ts";
import type { GovernorState } from "../core/governor/state.ts";
import { askAboutWait } from "./ask-about-wait.ts";
import { systemClock } from "./clock.ts";
import { Deadline } from "./deadline.ts";
import { HistoryPort } from "./history-port.ts";
import type { AskPerson } from "./listing.ts";
import { ListingPort } from "./listing-port.ts";
import { Observation } from "./observer.ts";
import { type AdapterOptions, ownLimits, readSettings, requireProgressFor } from "./options.ts";
import { Pricing } from "./pricing.ts";
import { Progress } from "./progress.ts";
import { Question } from "./question.ts";
import { OwnMember } from "./run-info.ts";
import { Settlements } from "./settlements.ts";
import { requireSources, SharedPort } from "./shared-port.ts";
import { TimedEngine } from "./timed-engine.ts";
import { Warnings } from "./warnings.ts";
import { CurrentWork, type HostCutOff } from "./work.ts";

/** What a host does in its own way. */
export interface RunHost extends HostCutOff {
  /** What a person is told when the model has no price. Default: what to do about it with the options. */
  unpricedWarning?: () => string;
  /** What repeats are recognised by. Default: the whole result. */
  comparable?: (result: unknown) => unknown;
  /** Is a result an error that the host has put into words for the model? Default: what a tool throws is one. */
  isError?: (result: unknown) => boolean;
  /** Continue from the state of an earlier run. */
  state?: GovernorState | undefined;
  /** What the run is called in the pools it draws from, for people to read. Default: the script and the number of the process. */
  name?: string | undefined;
  /** Can a turn be held until the limit of this question starts over? Else `headless` is used instead. Default: yes. */
  mayWait?: (question: Ask) => boolean;
  /** What a person is told who is there: what was done from elsewhere. Default: as `onWarning`. */
  notice?: (message: string) => void;
  /** A run has ended. Called before `onOutcome` of the options. Must not throw. */
  ended?: (outcome: Outcome) => void;
}

/** What the turns and calls of a run need, made once for the run. */
export interface RunServices {
  readonly engine: TimedEngine;
  readonly current: CurrentWork;
  readonly pricing: Pricing;
  readonly question: Question;
  readonly progress: Progress;
  readonly deadline: Deadline;
  readonly shared: SharedPort;
  readonly settlements: Settlements;
  readonly listed: ListingPort;
  /** What earlier runs took, if limits are chosen from it, or this run is to be kept in it. */
  readonly history: HistoryPort | undefined;
  /** Is told what happens, if somebody wants to know. */
  readonly observation: Observation | undefined;
  /** What repeats are recognised by, if not by the whole result. */
  readonly comparable: ((result: unknown) => unknown) | undefined;
  readonly isError: ((result: unknown) => boolean) | undefined;
}

/** They are made for a run with these options. */
export function servicesOf(options: AdapterOptions, host: RunHost): RunServices {
  const {
    ask,
    progress: found,
    price,
    observe,
    onWarning,
    pool,
    listed: listing,
    history,
    ...more
  } = options;
  const { clock = systemClock, ...given } = more;
  const { settings, limits: wanted } = readSettings(given, history);
  const { state } = host;
  const sources = requireSources(pool, "pool");
  const limits = [...ownLimits(settings), ...SharedPort.limitsOf(sources), ...ListingPort.gatesOf(listing)];
  const engine = new TimedEngine({ ...settings, limits, canAsk: ask !== undefined, state }, clock);
  requireProgressFor(engine.facts.settings, found);
  const member = new OwnMember(host.name);
  const warnings = new Warnings(onWarning);
  engine.wordsFailed = (error) =>
    warnings.warn(`tell.message threw: ${error}. The model reads the usual words instead.`);
  const observation = observe && new Observation(observe, warnings);
  const resumesFailed = engine.facts.request === "retry-due";
  const current = new CurrentWork(member, host, warnings, observation, resumesFailed);
  const shared = new SharedPort(sources, engine, member, warnings);
  const pricing = new Pricing(price, warnings, host.unpricedWarning);
  const put: AskPerson = (asked, signal, run) =>
    asked.waits ? askAboutWait(ask, warnings)(asked, signal, run) : ask?.(asked, signal, run);
  const asking: AskPerson = listing ? (asked, signal, run) => listed.ask(asked, signal, run, put) : put;
  const progress = new Progress(found, clock, () => engine.run.timeForWork, warnings);
  const question = new Question(
    ...([engine, asking, progress, shared, warnings, observation, host.mayWait] as const),
    (round, extended) => listed.extended(round, extended),
  );
  const deadline = new Deadline(engine, question, shared, current);
  const { notice } = host;
  const chosen =
    history &&
    new HistoryPort(history, wanted, engine, warnings, (settings) => {
      engine.tellTime();
      engine.configure(settings);
      question.withdrawIfClosed();
      deadline.timeMayHaveChanged();
    });
  const listed = new ListingPort(listing, { engine, question, deadline, shared, pricing, warnings, notice });
  return {
    engine,
    current,
    pricing,
    question,
    progress,
    deadline,
    shared,
    settlements: new Settlements(shared, engine, deadline, listed, chosen),
    listed,
    history: chosen,
    observation,
    comparable: host.comparable,
    isError: host.isError,
  };
}
