import { messageOf } from "../../core/errors/message-of.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { makeChange } from "./changes.ts";
import type { LiveView } from "./live-lines.ts";
import { isSame, openQuestions } from "./questions-table.ts";

const EVERY = 1_000;
/** After how many looks at the pools a message gives way to what the keys do. */
const LOOKS_WITH_A_MESSAGE = 5;

interface Means {
  store: Store;
  refresh(): Promise<void>;
  draw(): void;
}

/** Reads the pools each second, and acts on keys. */
export function liveUntilQuit(view: LiveView, { store, refresh, draw }: Means) {
  let quit = () => {};
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<void>((resolve) => {
    quit = () => {
      isOver = true;
      clearTimeout(timer);
      resolve();
    };
  });
  // One after the other, so that what was read before a change is never shown after it.
  let queue = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    queue = queue.then(async () => {
      if (isOver) return;
      await work();
      if (!isOver) draw();
    });
    return queue;
  };
  let looks = 0;
  const look = async () => {
    await refresh();
    looks += 1;
    if (looks >= LOOKS_WITH_A_MESSAGE) view.message = undefined;
  };
  const say = (message: string) => {
    view.message = message;
    looks = 0;
  };
  const tick = () => {
    timer = setTimeout(() => void inTurn(look).then(() => isOver || tick()), EVERY);
  };
  tick();

  const answer = (reply: boolean) => {
    const { chosen } = view;
    if (!chosen) {
      if (openQuestions(view.pools).length > 0) say("Choose a question with ↑ or ↓ first.");
      return;
    }
    const { pool, question } = chosen;
    view.chosen = undefined;
    void inTurn(async () => {
      try {
        await makeChange(store, pool.record, { kind: "answer", question: question.id, reply });
        say(`${question.name || question.member} is told ${reply ? "yes" : "no"}.`);
      } catch (error) {
        say(messageOf(error));
      }
      await refresh();
    });
  };

  const press = (keys: readonly Key[]) => {
    for (const key of keys) {
      if (key === "quit") return quit();
      view.message = undefined;
      if (key === "yes" || key === "no") answer(key === "yes");
      else choose(view, key === "down" ? 1 : -1);
    }
    if (keys.length > 0) draw();
  };
  return { ended, press, quit: () => quit() };
}

function choose(view: LiveView, by: 1 | -1): void {
  const questions = openQuestions(view.pools);
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
