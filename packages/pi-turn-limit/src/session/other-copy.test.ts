import { EventEmitter } from "node:events";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { answerOtherCopies, type Copy, copiesBefore, standBy, usedInstead } from "./other-copy.ts";

/** A Pi with one session, without a UI, as one of its extensions sees it. */
function aPi() {
  const bus = new EventEmitter();
  const handlers = new EventEmitter();
  const pi = { events: bus, on: handlers.on.bind(handlers) } as unknown as ExtensionAPI;
  const sessionManager = {};
  const raise = (type: string) =>
    handlers.emit(type, { type, reason: "startup" }, { hasUI: true, sessionManager, ui: { notify() {} } });
  return { pi, sessionManager, raise };
}

function aCopy(folder: string, served?: unknown): Copy {
  return { folder, load: {}, flag: () => "7", serves: (session) => session === served };
}

test("a copy finds the one that was loaded before it, and never itself", () => {
  const { pi } = aPi();
  expect(copiesBefore(pi)).toEqual([]);
  answerOtherCopies(pi, aCopy("/first"));
  expect(usedInstead(copiesBefore(pi), "/first")).toBeUndefined();
  expect(usedInstead(copiesBefore(pi), "/second")?.folder).toBe("/first");
});

test.for([
  { holds: true, taken: 0 },
  { holds: false, taken: 1 },
])(
  "where the other copy holds the session: $holds, this one takes it over $taken times",
  ({ holds, taken }) => {
    const { pi, sessionManager, raise } = aPi();
    let times = 0;
    standBy(pi, aCopy("/first", holds ? sessionManager : {}), "/second", () => () => {
      times += 1;
    });
    raise("session_start");
    raise("agent_start");
    raise("agent_start");
    expect(times).toBe(taken);
  },
);
