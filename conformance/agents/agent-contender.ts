import type { AgentName, PreparedAgent, ProviderScript } from "@turn-limit/rig";

/** What can be limited. */
export type Measure = "turns" | "dollars" | "loops" | "windows";

/** A situation in which the limits of coding agents are compared. */
export interface AgentTrial {
  name: string;
  /** The limit on turns, if the trial is about one. */
  turns?: number;
  /** The limit on cost in US dollars, if the trial is about one. The model then has a price. */
  dollars?: number;
  /** The limit on the same result in a row, if the trial is about one. */
  repeats?: number;
  /** How many percent of a subscription's window may be used, if the trial is about that. The answers tell how many are. */
  plan?: number;
  /** The limit is what most of 20 earlier runs took, of which each took so many turns. */
  earlierTurns?: number;
  /** Is the limit one for the day, and does the next day come as soon as a run waits for it? */
  nextDayComes?: boolean;
  /** Is a person there who can be asked? */
  asks?: boolean;
  /** Is a final answer expected although the limit is hit? */
  wantsAnswer?: boolean;
  /** Is the answer expected in a form that the caller has given? */
  wantsForm?: boolean;
  /** At how many percent of the limit the model is to be told what it has left. */
  tellsAt?: number;
  /** How often the limit may be extended while the agent gets somewhere. */
  extends?: number;
  /** Does it need an agent that starts sub-agents? */
  subAgents?: boolean;
  /** What the provider does. A new one for each run. */
  script: () => ProviderScript;
}

/** What is added to the way in which an agent is started. */
export interface Start {
  /** A command to put before the agent's own. */
  wrapWith?: readonly string[];
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** A way to hold an agent, or the lack of one. */
export interface Limiter {
  /** In words, for example `--max-turns n`. */
  limiter: string;
  ours: boolean;
  /** Is it the lack of one? */
  isLack?: true;
  /** What it can limit. For a lack: in which trials it is seen what then happens. */
  limits: readonly Measure[];
  /** Is it only shown in trials about what it limits? */
  isElsewhereHidden?: boolean;
  /** Sets the limit. May change the agent's settings, which are those of one run only. */
  start(agent: PreparedAgent, trial: AgentTrial, competitor: Competitor): Promise<Start> | Start;
}

/** A coding agent with everything that can hold it. */
export interface Competitor {
  agent: AgentName;
  /** As its makers write it. */
  name: string;
  /** The package that it comes in, as it is named where its version is pinned. */
  package: string;
  hasSubAgents: boolean;
  /** How it uses a model with a price. May change the agent's settings, which are those of one run only. */
  withPrice(agent: PreparedAgent): Promise<Start> | Start;
  /** The key that says yes to a question on its screen, if that is another than Enter. */
  yes?: string;
  /** How its answer gets a form, if it has a way. */
  withForm?(agent: PreparedAgent): Promise<Start> | Start;
  /** The tool with which it gives an answer in a form, where turn-limit has to be told. */
  formTool?: string;
  /** The headers by which its subscription tells that so many percent of a window are used, if it has one. */
  planHeaders?(percent: number): Readonly<Record<string, string>>;
  limiters: readonly Limiter[];
}

/** What was seen. */
export interface AgentSeen {
  /** Requests that reached the provider, those of sub-agents, retries and titles included. */
  requests: number;
  /** Shell commands that ran, by what they left behind. */
  executed: number;
  /** Did the model's final text come out? */
  answered: boolean;
  /** `undefined` if the trial had to end the agent. */
  exitCode: number | undefined;
  /** What tells the caller why the run ended. */
  reason: string | undefined;
}

/** One way to hold an agent in one trial. */
export interface AgentRow {
  trial: AgentTrial;
  competitor: Competitor;
  limiter: Limiter;
  /** What was seen, or why the limiter could not be put into the trial. */
  seen: AgentSeen | string;
  /** Could the trial not be played to its end? */
  failed?: true;
}

/** What a trial is about. */
export function measureOf({ dollars, repeats, plan }: AgentTrial): Measure {
  if (plan !== undefined) return "windows";
  if (repeats !== undefined) return "loops";
  return dollars === undefined ? "turns" : "dollars";
}
