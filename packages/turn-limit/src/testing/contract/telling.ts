import { strict as assert } from "node:assert";
import type { TellMessage } from "../../core/limits/tell.ts";
import { DEFAULT_WRAP_UP_MESSAGE } from "../../core/limits/wrap-up.ts";
import type { Observed, ScriptedHost, SeenRequest } from "../scripted-host.ts";
import { assertOutcomes, type Contract, endless, endsAt, timesTold } from "./contract.ts";

const MARK = "[what is left]";
const message: TellMessage = (limits) =>
  `${MARK} ${limits.map(({ limit, used, max, left }) => `${limit} ${used}/${max}, ${left} left`).join("; ")}`;

/** The model is told what it has left, at the end of a request and in no other. */
export function testTelling({ play, where, host }: Contract): void {
  where("wrapUp")("the model is told at shares of a limit what it has left, once for each", async () => {
    const limits = { turns: 10, tell: { at: [50, 80, 90], message } };
    const seen = await play({ limits, model: endless });
    assert.deepEqual(told(seen, host), {
      5: "turns 5/10, 5 left",
      8: "turns 8/10, 2 left",
      9: "turns 9/10, 1 left",
    });
    assert.equal(seen.requests.length, 10);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 10, intervened: true });
  });

  where("wrapUp")("by default with one line, at 80, 90 and 95 %", async () => {
    const seen = await play({ limits: { turns: 20, tell: true }, model: endless });
    const line = (used: number) => `turn limit ${used}/20 used, ${20 - used} left, then the run is stopped.`;
    assert.deepEqual(told(seen, host, "For information:"), { 16: line(16), 18: line(18), 19: line(19) });
  });

  where("wrapUp")("everything before it is what the next request begins with, too", async () => {
    const limits = { turns: 6, tell: { at: "every turn" as const, message } };
    const seen = await play({ limits, model: endless });
    assert.equal(seen.requests.length, 6);
    for (const [n, request] of seen.requests.entries()) {
      const before = withoutLine(request);
      const next = seen.requests[n + 1];
      if (next) assert(written(next).startsWith(before), `${written(next)}\n does not begin with\n${before}`);
    }
  });

  where("wrapUp", "forgets")("it is in one request only: all else is as if nobody had told it", async () => {
    const model = endsAt(5);
    const informed = await play({ limits: { turns: 6, tell: { at: "every turn", message } }, model });
    const untold = await play({ limits: { turns: 6 }, model });
    assert.deepEqual(informed.requests.map(withoutLine), untold.requests.map(written));
    assert.equal(informed.answer, untold.answer);
    assertOutcomes(informed, { kind: "completed", intervened: false });
  });

  where("wrapUp")("words that cannot be made are the usual ones, and the run goes on", async () => {
    const message = () => {
      throw new Error("no words");
    };
    const warnings: string[] = [];
    const onWarning = (warning: string) => warnings.push(warning);
    const limits = { turns: 4, tell: { at: [75], message }, onWarning };
    const seen = await play({ limits, model: endsAt(4) });
    assert.deepEqual(told(seen, host, "For information:"), {
      3: "turn limit 3/4 used, 1 left, then the run is stopped.",
    });
    assert.equal(seen.requests.length, 4);
    assertOutcomes(seen, { kind: "completed", turns: 4, intervened: false });
    assert.deepEqual(warnings, [
      "tell.message threw: Error: no words. The model reads the usual words instead.",
    ]);
  });

  where("wrapUp", "forgets")("at the next prompt it is told anew, with what is left then", async () => {
    const limits = { turns: 2, tell: { at: [100], message } };
    const seen = await play({
      limits,
      model: ({ index }) => (index % 2 ? { calls: 1 } : { text: "done" }),
      prompts: 2,
    });
    assert.deepEqual(told(seen, host), { 2: "turns 2/2, 0 left", 4: "turns 2/2, 0 left" });
  });

  where("wrapUp")("it causes no turn, and an agent that is done is not told", async () => {
    const seen = await play({ limits: { turns: 10, tell: { at: [50], message } }, model: endsAt(4) });
    assert.equal(seen.requests.length, 4);
    assert.deepEqual(told(seen, host), {});
    assertOutcomes(seen, { kind: "completed", turns: 4, intervened: false });
  });

  where("wrapUp", "ask")("after a yes it is told again", async () => {
    let asked = 0;
    const ask = () => {
      asked += 1;
      return asked === 1;
    };
    const seen = await play({ limits: { turns: 4, tell: { at: [75], message }, ask }, model: endless });
    assert.equal(seen.requests.length, 8);
    assert.deepEqual(told(seen, host), { 3: "turns 3/4, 1 left", 7: "turns 3/4, 1 left" });
  });

  where(
    "wrapUp",
    "spending",
    "calls",
  )("several limits are told in one line", async () => {
    const limits = { turns: 5, tokens: 1_000_000, tools: { work: 3 }, tell: { at: [60], message } };
    const seen = await play({ limits, model: endsAt(5) });
    const tool = `tools.${host.toolName ?? "work"}`;
    assert.deepEqual(told(seen, host), { 3: `turns 3/5, 2 left; ${tool} 2/3, 1 left` });
  });

  where("wrapUp")("after the wrap-up, where both are due", async () => {
    const limits = { turns: { max: 6, grace: 2 }, tell: { at: [80], message } };
    const seen = await play({ limits, model: endless });
    const last = seen.requests[4];
    assert.deepEqual(told(seen, host), { 5: "turns 5/6, 1 left" });
    const wrapUp = last?.texts.join("\n").indexOf(DEFAULT_WRAP_UP_MESSAGE) ?? -1;
    assert(wrapUp >= 0 && wrapUp < (last?.texts.join("\n").indexOf(MARK) ?? -1));
  });

  where("wrapUp", "retries")("a request that is made again tells it again", async () => {
    const limits = { turns: 4, tell: { at: [50], message } };
    const model = ({ index }: SeenRequest) =>
      index === 2 ? ({ fails: true } as const) : index === 4 ? { text: "done" } : { calls: 1 };
    const seen = await play({ limits, model });
    assert.equal(seen.requests.length, 4);
    const line = `${MARK} turns 2/4, 2 left`;
    const times = seen.requests.map((request) => timesTold(request, line));
    assert.deepEqual(times, [0, 1, 1, host.can.forgets === true ? 0 : 1]);
  });

  where("wrapUp")("without a maximum, and where nothing is set, nothing is told", async () => {
    for (const limits of [
      { turns: "unlimited", tell: { at: "every turn", message } },
      { turns: 3 },
    ] as const) {
      const seen = await play({ limits, model: endsAt(3) });
      assert.deepEqual(told(seen, host), {});
    }
  });
}

/** A request as one text. */
function written({ texts }: SeenRequest): string {
  return texts.join("\n");
}

/**
 * What each request tells of what is left, from this mark on. Where a host keeps what it is told, that is what the one before
 * did not have, and the host may add to it; otherwise it is the last thing in the request.
 */
function told({ requests }: Observed, { can }: ScriptedHost, mark = MARK): Record<number, string> {
  const lines = requests.map((request, n) => {
    const before = requests[n - 1];
    const text = written(request);
    const kept = before !== undefined && text.startsWith(written(before)) ? written(before).length : 0;
    const added = can.forgets === true ? lastLine(text) : text.slice(kept);
    const at = added.lastIndexOf(mark);
    return [request.index, at < 0 ? "" : firstLine(added.slice(at + mark.length + 1))] as const;
  });
  return Object.fromEntries(lines.filter(([, line]) => line !== ""));
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** Some hosts have parts of messages as JSON. */
function lastLine(text: string): string {
  return (text.split("\n").at(-1) ?? "").replace(/"\}\]$/, "");
}

/** The request as one text, up to the line. */
function withoutLine(request: SeenRequest): string {
  const text = written(request);
  const at = text.lastIndexOf(MARK);
  return at < 0 ? text : text.slice(0, at).replace(/\n$/, "");
}
