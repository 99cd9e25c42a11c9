import { messageOf } from "../../core/errors/message-of.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { SerialQueue } from "../../pools/serial-queue.ts";
import { pause } from "../../run/pause.ts";
import { storeOption } from "../stores.ts";
import { isParked, makeChange, parkedText, unreadText } from "./changes.ts";
import type { LiveView } from "./live-lines.ts";
import { readPools, readRuns } from "./pool-view.ts";
import { isSame, type OpenQuestion, openQuestions } from "./questions-table.ts";

const EVERY = 1_000;
/** After how many looks at the pools a message gives way to what the keys do. */
const LOOKS_WITH_A_MESSAGE = 5;
/** After how many looks a reply that was not read is said to be unread. */
const LOOKS_UNTIL_UNREAD = 3;

/** Reads the pools each second, and acts on keys. `all`: also those of earlier days, weeks and months. */
export function liveUntilQuit(view: LiveView, store: Store, all: boolean, draw: () => void) {
  const over = new AbortController();
  const { signal } = over;
  const ended = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  // One after the other, so that what was read before a change is never shown after it.
  const queue = new SerialQueue();
  const inTurn = (work: () => Promise<void>) =>
    queue.add(async () => {
      if (signal.aborted) return;
      await work();
      if (!signal.aborted) draw();
    });
  const refresh = async () => {
    try {
      [view.pools, view.runs] = await Promise.all([readPools(store, all), readRuns(store)]);
      view.problem = undefined;
    } catch (error) {
      view.problem = `The store cannot be read: ${messageOf(error)}`;
    }
    const { chosen } = view;
    // Another question must not take the place of one that is gone, for a y may be on its way.
    view.chosen =
      chosen && openQuestions([...view.pools, ...view.runs]).find((question) => isSame(question, chosen));
  };
  let looks = 0;
  const look = async () => {
    await refresh();
    looks += 1;
    if (looks >= LOOKS_WITH_A_MESSAGE) view.message = undefined;
    for (const reply of replies) {
      reply.looks += 1;
      if (!isAsked(reply.to)) replies.delete(reply);
      else if (reply.looks >= LOOKS_UNTIL_UNREAD) {
        replies.delete(reply);
        say(unreadText(askerOf(reply.to)));
      }
    }
  };
  /** Replies that their askers may not have read yet. */
  const replies = new Set<{ to: OpenQuestion; looks: number }>();
  const isAsked = ({ pool, question }: OpenQuestion) =>
    [...view.pools, ...view.runs].some(
      ({ record, questions }) => record === pool.record && questions.some(({ id }) => id === question.id),
    );
  const say = (message: string) => {
    view.message = message;
    looks = 0;
  };
  const lookEachSecond = async () => {
    while (!signal.aborted) {
      await pause(EVERY, signal);
      await inTurn(look);
    }
  };
  void lookEachSecond();

  const answer = (reply: boolean) => {
    const { chosen } = view;
    if (!chosen) {
      if (openQuestions([...view.pools, ...view.runs]).length > 0)
        say("Choose a question with ↑ or ↓ first.");
      return;
    }
    const { pool, question } = chosen;
    view.chosen = undefined;
    void inTurn(async () => {
      try {
        const to = askerOf(chosen);
        await makeChange(store, pool.record, { kind: "answer", question: question.id, reply }, { to });
        say(
          isParked(pool)
            ? parkedText(to, pool.id + storeOption(view.place), reply)
            : `${to} is told ${reply ? "yes" : "no"}.`,
        );
        if (!isParked(pool)) replies.add({ to: chosen, looks: 0 });
      } catch (error) {
        say(messageOf(error));
      }
      await refresh();
    });
  };

  const press = (keys: readonly Key[]) => {
    for (const key of keys) {
      if (key === "quit") return over.abort();
      view.message = undefined;
      if (key === "yes" || key === "no") answer(key === "yes");
      else choose(view, key === "down" ? 1 : -1);
    }
    if (keys.length > 0) draw();
  };
  return { ended, press, quit: () => over.abort() };
}

function askerOf({ question }: OpenQuestion): string {
  return question.name || question.member;
}

function choose(view: LiveView, by: 1 | -1): void {
  const questions = openQuestions([...view.pools, ...view.runs]);
  const { chosen } = view;
  const place = questions.findIndex((question) => isSame(question, chosen));
  const next = place < 0 ? (by > 0 ? 0 : questions.length - 1) : place + by;
  view.chosen = questions[Math.min(Math.max(next, 0), questions.length - 1)];
}

/** What a person can do while the table is live. */
export type Key = "up" | "down" | "yes" | "no" | "quit";

const KEYS: Readonly<Record<string, Key>> = {
  "\x1b[A": "up",
  "\x1bOA": "up",
  "\x1b[B": "down",
  "\x1bOB": "down",
  y: "yes",
  Y: "yes",
  n: "no",
  N: "no",
  q: "quit",
  Q: "quit",
  "\x03": "quit",
};

// A sequence of a terminal is one key, whatever letters are in it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys begin with them
const ONE_KEY = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)|[\s\S]/g;

/** The keys in what a terminal sent. Others are left out. */
export function keysIn(input: string): Key[] {
  return (input.match(ONE_KEY) ?? []).flatMap((key) => (Object.hasOwn(KEYS, key) ? [KEYS[key] as Key] : []));
}
