// What the server tells the page. Nothing is imported here, since the page is made for browsers.

/** What a viewer is told: what changed since the last time, or everything that there is. */
export type News =
  | { kind: "all"; now: number; pools: SeenPool[]; grants: SeenGrant[] }
  | { kind: "changed"; pools: SeenPool[]; gone: string[]; grants?: SeenGrant[] }
  | { kind: "problem"; message: string }
  | { kind: "revoked" };

/** A pool or a run as the page shows it: every amount is a text already, so that there is one way to write it. */
export interface SeenPool {
  record: string;
  /** What people call it. */
  name: string;
  /** What a run says of itself. `null`: it is a pool. */
  run: SeenRun | null;
  agents: number;
  frozen: string | null;
  /** When a run last did something; when what is used of a pool changed last, as far as it was seen, in milliseconds. */
  since: number;
  /** When a pool with a period starts over. */
  startsOver: number | null;
  limits: SeenLimit[];
  members: { id: string; name: string; used: string[] }[];
  questions: SeenQuestion[];
  rates: Rates;
}

export interface SeenRun {
  /** Its agent, its folder and machine, and its model, as far as they are known. */
  about: string[];
  state: "working" | "asking" | "waiting" | "idle" | "parked";
  began: number;
  /** Why, or where, it was told to stop. */
  stopped: string | null;
}

export interface SeenLimit {
  measure: string;
  used: string;
  /** `null`: there is no maximum. */
  max: string | null;
  /** How much of the maximum is used, from 0 to 1. */
  share: number | null;
  /** What is typed to allow more, such as `$2`. */
  example: string;
}

export interface SeenQuestion {
  id: string;
  who: string;
  text: string;
  asked: number;
  until: number | null;
  replies: { reply: string; label: string }[];
  /** What is typed to allow another amount, such as `$2`; `null` where none can be given. */
  example: string | null;
}

/** What a person decided: when, where, about what. */
export interface SeenGrant {
  id: string;
  record: string;
  /** Which question it answers, if it is an answer. */
  question: string | null;
  at: number;
  to: string;
  where: string;
  did: string;
  /** In a sentence: `Answered on the phone: yes, another 25 turns.` */
  text: string;
}

/** What a pool or run uses a minute now, and in each of the last sixty. */
export interface Rates {
  costPerMinute: number;
  tokensPerMinute: number;
  /** What was spent in each minute of the last hour, in US dollars, the oldest first. Empty: nothing. */
  costs: number[];
  /** The same in tokens. */
  tokens: number[];
}
