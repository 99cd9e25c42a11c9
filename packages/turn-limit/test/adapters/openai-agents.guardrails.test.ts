import { Agent, type InputGuardrail, type ModelSettings, Runner, retryPolicies } from "@openai/agents";
import { describe, expect, test } from "vitest";
import { type AdapterOptions, limitRuns } from "../../src/adapters/openai-agents/index.ts";
import { createPool } from "../../src/pools/pool.ts";
import type { ModelReply, SeenRequest } from "../../src/testing/scripted-host.ts";
import { scripted } from "../hosts/openai-agents.ts";

/** A guardrail that rejects every prompt, once it is told to. */
function rejecting(more: Partial<InputGuardrail> = {}, when: Promise<void> = Promise.resolve()) {
  return {
    name: "Rejecting",
    execute: async () => {
      await when;
      return { tripwireTriggered: true, outputInfo: undefined };
    },
    ...more,
  };
}

/** What one part of a test waits for, and another one gives. */
function aSignal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

interface Setting {
  guardrails?: InputGuardrail[];
  reply?: (request: SeenRequest) => ModelReply;
  /** Whose are the guardrails and the model? */
  owner: "agent" | "runner";
  stream: boolean;
  options?: AdapterOptions;
  given?: object;
  modelSettings?: ModelSettings;
}

async function play({
  guardrails = [],
  reply = () => ({ text: "done" }),
  owner,
  stream,
  options = { turns: 5 },
  given = {},
  modelSettings,
}: Setting) {
  const requests: SeenRequest[] = [];
  const model = scripted(reply, requests);
  const runner = new Runner({
    tracingDisabled: true,
    ...(modelSettings && { modelSettings }),
    ...(owner === "runner" && { model, inputGuardrails: guardrails }),
  });
  const agent = new Agent({
    name: "Worker",
    ...(owner === "agent" && { model, inputGuardrails: guardrails }),
  });
  const limits = limitRuns(options, runner);
  let error: unknown;
  try {
    if (stream) await (await limits.run(agent, "go", { ...given, stream: true })).completed;
    else await limits.run(agent, "go", given);
  } catch (thrown) {
    error = thrown;
  }
  return { requests: requests.length, error: (error as Error | undefined)?.name, outcome: limits.outcome };
}

const ways = (["agent", "runner"] as const).flatMap((owner) => [
  { owner, stream: false },
  { owner, stream: true },
]);

describe.each(ways)("the $owner's guardrails, streaming: $stream", (way) => {
  test.each([
    ["before the request", { runInParallel: false }],
    ["beside what prepares the request", {}],
  ])("a prompt that is rejected %s takes no turn", async (_, more) => {
    const seen = await play({ ...way, guardrails: [rejecting(more)] });
    expect(seen).toMatchObject({
      requests: 0,
      error: "InputGuardrailTripwireTriggered",
      outcome: { kind: "failed", turns: 0 },
    });
  });

  test("a prompt that is rejected while the request is under way takes a turn", async () => {
    const sent = aSignal();
    const reply = () => {
      sent.give();
      return { text: "done" };
    };
    const seen = await play({ ...way, guardrails: [rejecting({}, sent.given)], reply });
    expect(seen).toMatchObject({
      requests: 1,
      error: "InputGuardrailTripwireTriggered",
      outcome: { kind: "failed", turns: 1 },
    });
  });

  test("so it does if its request fails, too", async () => {
    const sent = aSignal();
    const reply = () => {
      sent.give();
      return { fails: true } as const;
    };
    const seen = await play({ ...way, guardrails: [rejecting({}, sent.given)], reply });
    expect(seen).toMatchObject({ requests: 1, outcome: { kind: "failed", turns: 1 } });
  });

  test("a prompt that is accepted takes its turn, and a retry of its request none", async () => {
    const accepting: InputGuardrail = {
      name: "Accepting",
      execute: async () => ({ tripwireTriggered: false, outputInfo: undefined }),
    };
    const retry = { maxRetries: 1, policy: retryPolicies.httpStatus([503]), backoff: { initialDelayMs: 0 } };
    const seen = await play({
      ...way,
      guardrails: [accepting],
      reply: ({ index }) => (index === 1 ? { fails: true } : { text: "done" }),
      modelSettings: { retry },
      options: { turns: 1 },
    });
    expect(seen).toMatchObject({ requests: 2, error: undefined, outcome: { kind: "completed", turns: 1 } });
  });
});

describe.each([false, true])("streaming: %s", (stream) => {
  test("a turn whose input the caller's filter refuses was none", async () => {
    const given = {
      callModelInputFilter: () => {
        throw new Error("refused");
      },
    };
    const seen = await play({ owner: "agent", stream, given });
    expect(seen).toMatchObject({ requests: 0, outcome: { kind: "failed", turns: 0 } });
  });

  test("rejected prompts take nothing of a pool", async () => {
    const pool = createPool({ id: crypto.randomUUID(), turns: 2 });
    for (let prompt = 0; prompt < 3; prompt += 1)
      await play({ owner: "agent", stream, guardrails: [rejecting()], options: { pool } });
    const seen = await play({ owner: "agent", stream, options: { pool } });
    expect(seen).toMatchObject({ requests: 1, error: undefined, outcome: { kind: "completed", turns: 1 } });
  });
});
