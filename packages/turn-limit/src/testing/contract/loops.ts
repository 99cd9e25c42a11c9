import { strict as assert } from "node:assert";
import type { StepCall } from "../../core/limits/repeated-calls.ts";
import type { ModelReply, Observed, SeenRequest } from "../scripted-host.ts";
import { assertOutcomes, type Contract, endless, timesTold } from "./contract.ts";

const theSameAgain = (): ModelReply => ({ calls: 1, same: "again" });

/** What an agent varies in a call without meaning anything by it. */
const NEARLY_THE_SAME: [what: string, reply: (request: SeenRequest) => ModelReply][] = [
  ["space", ({ index }) => ({ calls: 1, same: `look${" ".repeat(index)}again` })],
  ["a moment", ({ index }) => ({ calls: 1, same: `since 2026-11-16T10:00:0${index}Z` })],
  ["a counter of attempts", ({ index }) => ({ calls: 1, same: "again", more: { attempt: index } })],
  ["a longer timeout", ({ index }) => ({ calls: 1, same: "again", more: { timeout: 60 * index } })],
];

/** What a tool throws, and the error that it returns. */
const ERRORS: [what: string, fail: () => string][] = [
  ["throws an error", () => raise(new Error("no such file"))],
  ["throws an error that is not called one", () => raise(named("NotFound", "no such file"))],
  ["returns an error", () => "Error: no such file"],
];

/** Limits of repeats: the same call, nearly the same, or the same error. */
export function testLoops({ host, play, where }: Contract): void {
  where("calls")(
    "a call repeated with the same result is refused once, then the run is stopped",
    async () => {
      const seen = await play({ limits: { repeats: 3 }, model: theSameAgain });
      assert.equal(seen.executed.length, 3);
      assert.equal(timesTold(seen.requests.at(-1), "It will not change"), 1);
      assertStopped(seen, { requests: 5, steps: 3 });
    },
  );

  where("calls")("two calls that alternate, each with the same result, are a loop too", async () => {
    const model = ({ index }: SeenRequest): ModelReply => ({ calls: 1, same: index % 2 ? "one" : "other" });
    const seen = await play({ limits: { repeats: 3 }, model });
    assert.deepEqual(seen.executed, ["one", "other", "one", "other", "one", "other"]);
    assertStopped(seen, { requests: 8, steps: 6 });
  });

  where("calls")("polling is not a loop: another result starts it over", async () => {
    const results = ["waiting", "waiting", "ready", "waiting", "waiting", "ready"];
    const seen = await play({
      limits: { turns: 6, repeats: 3 },
      model: theSameAgain,
      onExecute: () => results.shift(),
    });
    assert.equal(seen.executed.length, 6);
    assertOutcomes(seen, { kind: "stopped", limit: "turns" });
  });

  for (const [what, model] of NEARLY_THE_SAME)
    where("calls")(`calls that differ in ${what} are the same`, async () => {
      const seen = await play({ limits: { repeats: 3 }, model });
      assert.equal(seen.executed.length, 3);
      assertStopped(seen, { requests: 5, steps: 3 });
    });

  where("calls")("calls that differ in a number that means something are not the same", async () => {
    const model = ({ index }: SeenRequest): ModelReply => ({
      calls: 1,
      same: "book",
      more: { page: index },
    });
    const seen = await play({ limits: { turns: 6, repeats: 3 }, model });
    assert.equal(seen.executed.length, 6);
    assertOutcomes(seen, { kind: "stopped", limit: "turns" });
  });

  where("calls")("the caller can say which calls are the same, by the tool and its arguments", async () => {
    const compared: StepCall[] = [];
    const sameCall = (call: StepCall): unknown => {
      compared.push(call);
      return String(Object(call.args).id).split(" ", 1)[0];
    };
    const model = ({ index }: SeenRequest): ModelReply => ({ calls: 1, same: `look ${index}` });
    const seen = await play({ limits: { repeats: 3, sameCall }, model, onExecute: () => "done" });
    assert.deepEqual(seen.executed, ["look 1", "look 2", "look 3"]);
    assertStopped(seen, { requests: 5, steps: 3 });
    const [first] = compared;
    assert.equal(first?.tool, host.toolName ?? "work");
    assert.equal(Object(first?.args).id, "look 1");
  });

  for (const [what, fail] of ERRORS)
    where("calls")(`a tool that ${what} is in a loop if it is the same, whatever its arguments`, async () => {
      const seen = await play({ limits: { repeats: 3 }, model: endless, onExecute: fail });
      // Three that fail, one that is refused, and the last try of a model that was told.
      assert.deepEqual(seen.executed, ["r1c1", "r2c1", "r3c1", "r5c1"]);
      assert.equal(timesTold(seen.requests.at(-1), "failed 3 times in a row with the same error"), 1);
      assertStopped(seen, { requests: 6, steps: 4 });
    });

  // Returned, because some hosts tell the model the same of every error that a tool throws.
  where("calls")("a tool that fails in another way each time is in no loop", async () => {
    const files = ["one", "two", "three", "four", "five", "six"];
    const seen = await play({
      limits: { turns: 6, repeats: 3 },
      model: endless,
      onExecute: () => `Error: no such file: ${files.shift()}`,
    });
    assert.equal(seen.executed.length, 6);
    assertOutcomes(seen, { kind: "stopped", limit: "turns" });
  });

  where("calls")("a call that succeeds starts the errors of its tool over", async () => {
    let calls = 0;
    const onExecute = () => {
      calls += 1;
      return calls % 3 === 0 ? `line ${calls}` : raise(new Error("no such file"));
    };
    const seen = await play({ limits: { turns: 9, repeats: 3 }, model: endless, onExecute });
    assert.equal(seen.executed.length, 9);
    assertOutcomes(seen, { kind: "stopped", limit: "turns" });
  });
}

function assertStopped(seen: Observed, { requests, steps }: { requests: number; steps: number }): void {
  assert.equal(seen.requests.length, requests);
  assert.equal(seen.orphans, 0);
  assertOutcomes(seen, { kind: "stopped", limit: "repeats", steps });
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

function raise(error: Error): never {
  throw error;
}
