import { expect, test } from "vitest";
import { Audit } from "./audit.ts";

test("what was admitted is not too many, one more is", () => {
  const audit = new Audit();
  admit(audit, 2, 5);
  expect(done(audit, 3)).toEqual([false, false, true]);
});

test("one that is done beyond the limit is too many, also if it was admitted", () => {
  const audit = new Audit();
  const seen = [1, 2, 3].flatMap(() => {
    admit(audit, 1, 2);
    return done(audit, 1);
  });
  expect(seen).toEqual([false, false, true]);
});

test("what the limit does not apply to is not counted for it", () => {
  const audit = new Audit();
  audit.exempted("requests");
  expect([done(audit, 1), audit.countOf("requests")]).toEqual([[false], 0]);
  admit(audit, 1, 1);
  expect([done(audit, 1), audit.countOf("requests")]).toEqual([[false], 1]);
});

test("requests and calls are counted apart", () => {
  const audit = new Audit();
  admit(audit, 1, 1);
  expect([audit.isOneTooMany("calls"), audit.isOneTooMany("requests")]).toEqual([true, false]);
});

test("when the limit starts over, what is yet to be done of what was admitted before does not count", () => {
  const audit = new Audit();
  admit(audit, 2, 5);
  done(audit, 1);
  audit.restart("requests");
  admit(audit, 1, 1);
  expect([done(audit, 2), audit.countOf("requests")]).toEqual([[false, false], 1]);
  expect(done(audit, 1)).toEqual([true]);
});

test("a new run has no claim to what was admitted before, and the limit goes on from where it was", () => {
  const audit = new Audit();
  admit(audit, 2, 2);
  done(audit, 1);
  audit.newRun();
  expect([done(audit, 1), audit.countOf("requests")]).toEqual([[true], 2]);
  audit.newRun();
  admit(audit, 1, 2);
  expect(done(audit, 1)).toEqual([true]);
});

test("an audit goes on where its state left off, and does not change it", () => {
  const audit = new Audit();
  admit(audit, 1, 1);
  const state = audit.toState();
  const copy = structuredClone(state);
  for (const one of [audit, new Audit(state)]) expect(done(one, 2)).toEqual([false, true]);
  expect(state).toEqual(copy);
});

function admit(audit: Audit, count: number, max: number): void {
  for (let request = 0; request < count; request += 1) audit.admitted("requests", max);
}

/** Whether each of so many requests was one too many. */
function done(audit: Audit, count: number): boolean[] {
  return Array.from({ length: count }, () => audit.isOneTooMany("requests"));
}
