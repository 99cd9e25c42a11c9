import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { dialogWords } from "../../src/command/run/asking/dialog-words.ts";
import type { Ask, Reply } from "../../src/core/governor/decision.ts";
import { type QuestionTool, questionArgs, textOfResult } from "../../src/gateway/agents/question-tool.ts";
import type { GatewayOptions } from "../../src/gateway/gateway.ts";
import { AgentDialog } from "../../src/gateway/requests/agent-dialog.ts";
import { agent, PROFILE } from "./an-agent.ts";
import { type Received, recordingProvider } from "./recording-provider.ts";

/** A tool whose result is what the person said. */
const TOOL: QuestionTool = {
  name: "ask_person",
  args: (question) => questionArgs(question),
  said: (result) => (textOfResult(result) === "too slow" ? undefined : [textOfResult(result) ?? []].flat()),
};

/** A call of the tool, as the agent received it. */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: { questions: { question: string; header: string; options: { label: string }[] }[] };
}

/** How one protocol writes a conversation. The texts are not as JSON.stringify would write them. */
interface Wire {
  readonly path: string;
  /** The list of the transcript, its first items, and what else is in the request. */
  body(items: readonly string[], tools?: boolean): string;
  readonly begin: readonly string[];
  /** What a turn adds. */
  turn(number: number): readonly string[];
  called(answer: unknown): Call;
  /** What the call and its result add. */
  asked(call: Pick<Call, "id" | "name" | "args">, result: string): readonly string[];
  text(answer: unknown): string;
}

const json = JSON.stringify;
const ODD = '"temperature": 1.0, "seed":12345678901234567890';

/** What is there in an answer, as whatever it has to be. */
function pick(answer: unknown, ...path: (string | number)[]): never {
  return path.reduce((at, key) => Object(at)[key], answer) as never;
}

const WIRES: Record<string, Wire> = {
  messages: {
    path: "/v1/messages",
    body: (items, tools = true) =>
      `{"model":"m", ${ODD},"tools":[${tools ? '{"name":"ask_person"}' : '{"name":"x"}'}],"messages":[ ${items.join(" , ")}]}`,
    begin: ['{"role":"user","content":"Go."}'],
    turn: (n) => [
      `{"role":"assistant","content":[{"type":"tool_use","id":"t${n}","name":"x","input":{"at":${n}.0}}]}`,
      `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t${n}","content":"ok ${n}"}]}`,
    ],
    called: (answer) => ({
      id: pick(answer, "content", 0, "id"),
      name: pick(answer, "content", 0, "name"),
      args: pick(answer, "content", 0, "input"),
    }),
    asked: ({ id, name, args }, result) => [
      json({ role: "assistant", content: [{ type: "tool_use", id, name, input: args }] }),
      json({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] }),
    ],
    text: (answer) => pick(answer, "content", 0, "text"),
  },
  responses: {
    path: "/v1/responses",
    body: (items, tools = true) =>
      `{"model":"m", ${ODD},"tools":[],"input":[{"type":"additional_tools","tools":[{"type":"namespace","name":"functions","tools":[{"name":"${tools ? "ask_person" : "x"}"}]}]}, ${items.join(" , ")}]}`,
    begin: ['{"role":"user","content":"Go."}'],
    turn: (n) => [
      `{"type":"function_call","call_id":"t${n}","name":"x","arguments":"{\\"at\\":${n}}"}`,
      `{"type":"function_call_output","call_id":"t${n}","output":"ok ${n}"}`,
    ],
    called: (answer) => {
      expect(pick(answer, "output", 0)).toMatchObject({ namespace: "functions" });
      return {
        id: pick(answer, "output", 0, "call_id"),
        name: pick(answer, "output", 0, "name"),
        args: JSON.parse(pick(answer, "output", 0, "arguments")),
      };
    },
    asked: ({ id, name, args }, result) => [
      json({ type: "function_call", call_id: id, name, arguments: json(args) }),
      json({ type: "function_call_output", call_id: id, output: result }),
    ],
    text: (answer) => pick(answer, "output", 0, "content", 0, "text"),
  },
  "chat-completions": {
    path: "/v1/chat/completions",
    body: (items, tools = true) =>
      `{"model":"m", ${ODD},"tools":[{"type":"function","function":{"name":"${tools ? "ask_person" : "x"}"}}],"messages":[ ${items.join(" , ")}]}`,
    begin: ['{"role":"user","content":"Go."}'],
    turn: (n) => [
      `{"role":"assistant","content":null,"tool_calls":[{"id":"t${n}","type":"function","function":{"name":"x","arguments":"{}"}}]}`,
      `{"role":"tool","tool_call_id":"t${n}","content":"ok ${n}"}`,
    ],
    called(answer) {
      const call: { id: string; function: { name: string; arguments: string } } = pick(
        answer,
        ...["choices", 0, "message", "tool_calls", 0],
      );
      return { id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments) };
    },
    asked: ({ id, name, args }, result) => [
      json({
        role: "assistant",
        content: "",
        tool_calls: [{ id, type: "function", function: { name, arguments: json(args) } }],
      }),
      json({ role: "tool", tool_call_id: id, content: [{ type: "text", text: result }] }),
    ],
    text: (answer) => pick(answer, "choices", 0, "message", "content"),
  },
  gemini: {
    path: "/v1beta/models/m:generateContent",
    body: (items, tools = true) =>
      `{ ${ODD},"tools":[{"functionDeclarations":[{"name":"${tools ? "ask_person" : "x"}"}]}],"contents":[ ${items.join(" , ")}]}`,
    begin: ['{"role":"user","parts":[{"text":"Go."}]}'],
    turn: (n) => [
      `{"role":"model","parts":[{"functionCall":{"id":"t${n}","name":"x","args":{}}}]}`,
      `{"role":"user","parts":[{"functionResponse":{"id":"t${n}","name":"x","response":{"output":"ok ${n}"}}}]}`,
    ],
    called: (answer) => pick(answer, "candidates", 0, "content", "parts", 0, "functionCall"),
    asked: ({ id, name, args }, result) => [
      json({ role: "model", parts: [{ functionCall: { id, name, args } }] }),
      json({ role: "user", parts: [{ functionResponse: { id, name, response: result } }] }),
    ],
    text: (answer) => pick(answer, "candidates", 0, "content", "parts", 0, "text"),
  },
};

const HEADERS = { "user-agent": "test-agent/1.0", "x-kind": "turn", "content-type": "application/json" };

/** An agent that asks in its own dialog. */
async function asking(
  wire: Wire,
  options: GatewayOptions = { turns: 2 },
  dialog = new AgentDialog(dialogWords),
) {
  const provider = await recordingProvider();
  const questions: Ask[] = [];
  const notes: string[] = [];
  let answersElsewhere!: (reply: Reply) => void;
  const elsewhere = new Promise<Reply>((resolve) => {
    answersElsewhere = resolve;
  });
  const { base, close, gateway } = await agent(
    {
      profile: { ...PROFILE, dialog: TOOL },
      dialog,
      ask: (question, signal) => {
        questions.push(question);
        return Promise.race([dialog.ask(question, signal), elsewhere]);
      },
      onWarning: (message) => notes.push(message),
      ...options,
    },
    provider,
  );
  const post = async (text: string, headers: Record<string, string> = {}) => {
    const response = await fetch(base + wire.path, {
      method: "POST",
      headers: { ...HEADERS, ...headers },
      body: text,
    });
    return { status: response.status, answer: (await response.json()) as unknown };
  };
  const items = [...wire.begin];
  let turns = 0;
  const works = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      await post(wire.body(items));
      turns += 1;
      items.push(...wire.turn(turns));
    }
  };
  return {
    ...{ provider, dialog, questions, notes, close, gateway, post, items, works },
    answersElsewhere,
    body: (more: readonly string[] = [], tools?: boolean) => wire.body([...items, ...more], tools),
    sent: () => provider.received.length,
    last: () => (provider.received.at(-1) as Received).text,
    /** Sends a request that is held, and says what the agent is to call. */
    call: async () => wire.called((await post(wire.body(items))).answer),
  };
}

const each = Object.entries(WIRES);
const { messages: MESSAGES } = WIRES as { messages: Wire };

test.for(each)(
  "%s: the question is asked in the agent, and a yes sends exactly the request that was held",
  async ([, wire]) => {
    const it = await asking(wire);
    await it.works(2);
    const held = it.body();
    const call = await it.call();
    expect(call.args).toEqual({
      questions: [
        {
          question: "Turn limit reached (2/2). Continue? Or type how much more, such as 10.",
          header: "turn-limit",
          options: [
            { label: "Yes, another 2 turns", description: "The agent goes on." },
            { label: "Wrap up", description: "The agent is told to finish now." },
            { label: "No", description: "The run ends here." },
          ],
        },
      ],
    });
    expect(call.id.length).toBeLessThanOrEqual(64);
    expect(it.sent()).toBe(2);
    expect(it.gateway.run.summary).toMatchObject({ turns: 2, requests: 2 });

    it.items.push(...wire.asked(call, "Yes, another 2 turns"));
    await it.post(it.body());
    expect(it.last()).toBe(held);
    // The pair stays in the agent's transcript, and is in no later request.
    it.items.push(...wire.turn(3));
    await it.post(it.body());
    expect(it.last()).toBe(wire.body([...wire.begin, ...wire.turn(1), ...wire.turn(2), ...wire.turn(3)]));
    expect(it.sent()).toBe(4);
    expect(it.questions).toMatchObject([{ used: 2, max: 2 }]);
    expect(await it.close()).toMatchObject({ turns: 4, requests: 4, outcome: { kind: "completed" } });
  },
);

test.for(each)("%s: a number, a wrap-up and a no, one after the other in one run", async ([, wire]) => {
  const it = await asking(wire);
  await it.works(2);
  const first = await it.call();
  it.items.push(...wire.asked(first, " 1 "));
  await it.post(it.body());
  expect(it.sent()).toBe(3);
  it.items.push(...wire.turn(3));
  const second = await it.call();
  expect(second.id).not.toBe(first.id);
  expect(it.sent()).toBe(3);
  it.items.push(...wire.asked(second, "Wrap up"));
  await it.post(it.body());
  expect(it.sent()).toBe(4);
  expect(it.last()).toContain("Wrap up now.");
  expect(it.last()).not.toContain("ask_turn_limit");
  it.items.push(...wire.turn(4));
  const third = await it.call();
  it.items.push(...wire.asked(third, "No"));
  const { status, answer } = await it.post(it.body());
  expect(status).toBe(200);
  expect(wire.text(answer)).toMatch(/^Turn limit reached \(\d\/1\)\. A person stopped the run here\./);
  expect((await it.post(it.body())).status).toBe(402);
  expect(it.sent()).toBe(4);
  expect(await it.close()).toMatchObject({ turns: 4, outcome: { kind: "declined" } });
});

test("a dialog that was closed is a no, at whatever prompt comes next", async () => {
  const it = await asking(MESSAGES, { turns: 1 });
  await it.works(1);
  const { id, name, args } = await it.call();
  const rejected = [
    json({ role: "assistant", content: [{ type: "tool_use", id, name, input: args }] }),
    json({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: id, is_error: true, content: "Yes, another 1 turn" },
        { type: "text", text: "Go on." },
      ],
    }),
  ];
  const { answer } = await it.post(it.body(rejected));
  expect(MESSAGES.text(answer)).toMatch("A person stopped the run here.");
  expect(it.sent()).toBe(1);
});

test("a dialog that was closed is a no, too, where the agent forgets it; the same request again is none", async () => {
  const it = await asking(MESSAGES, {
    turns: 1,
    profile: { ...PROFILE, dialog: { ...TOOL, isForgottenWhenClosed: true } },
  });
  await it.works(1);
  await it.call();
  const again = await it.call();
  expect(again.name).toBe("ask_person");
  const { answer } = await it.post(it.body([json({ role: "user", content: "Go on." })]));
  expect(MESSAGES.text(answer)).toMatch("A person stopped the run here.");
  expect(it.sent()).toBe(1);
});

test("what is no reply is asked again, with what was typed", async () => {
  const it = await asking(MESSAGES, { turns: 1 });
  await it.works(1);
  it.items.push(...MESSAGES.asked(await it.call(), 'huh "x"'));
  const again = await it.call();
  expect(again.args.questions[0]?.question).toBe(
    '"huh \\"x\\"" is not a reply. Turn limit reached (1/1). Continue? Or type how much more, such as 10.',
  );
  it.items.push(...MESSAGES.asked(again, "Yes, another 1 turn"));
  await it.post(it.body());
  expect(it.sent()).toBe(2);
  expect(it.questions).toHaveLength(1);
  expect(it.last()).toBe(MESSAGES.body([...MESSAGES.begin, ...MESSAGES.turn(1)]));
});

test("a dialog that closes by itself is opened again", async () => {
  const it = await asking(MESSAGES, { turns: 1 });
  await it.works(1);
  const first = await it.call();
  it.items.push(...MESSAGES.asked(first, "too slow"));
  const again = await it.call();
  expect(again.args).toEqual(first.args);
  it.items.push(...MESSAGES.asked(again, "yes"));
  await it.post(it.body());
  expect(it.sent()).toBe(2);
  expect(it.questions).toHaveLength(1);
});

test("nothing is held while the dialog is open, for longer than a question could hold a request", async () => {
  const it = await asking(MESSAGES, { turns: 1, hold: 30 });
  await it.works(1);
  const call = await it.call();
  // The answer has ended, and with it the only request. The question is open all the same.
  await pause(100);
  expect(it.dialog.isOpen).toBe(true);
  it.items.push(...MESSAGES.asked(call, "yes"));
  await it.post(it.body());
  expect(it.sent()).toBe(2);
});

test("where a reply from elsewhere is to let the agent go on at once, the dialog comes last", async () => {
  const it = await asking(
    MESSAGES,
    { turns: 1, hold: 60_000 },
    new AgentDialog(dialogWords, { isLast: true }),
  );
  await it.works(1);
  const held = it.post(it.body());
  await vi.waitFor(() => expect(it.questions).toHaveLength(1));
  it.answersElsewhere(true);
  expect((await held).status).toBe(200);
  expect(it.sent()).toBe(2);

  const late = await asking(MESSAGES, { turns: 1, hold: 30 }, new AgentDialog(dialogWords, { isLast: true }));
  await late.works(1);
  late.items.push(...MESSAGES.asked(await late.call(), "yes"));
  await late.post(late.body());
  expect(late.sent()).toBe(2);
});

test("a reply counts once, by the id of an open question, and from nobody who makes one up", async () => {
  const it = await asking(MESSAGES, { turns: 1 });
  await it.works(1);
  const call = await it.call();
  const forged = { ...call, id: `ask_turn_limit_${"0".repeat(32)}` };
  // The dialog is not known to this request, so it is asked anew in its place.
  const { answer } = await it.post(it.body(MESSAGES.asked(forged, "unlimited")));
  const anew = MESSAGES.called(answer);
  expect(anew.name).toBe("ask_person");
  const ofModel = { ...call, id: "toolu_1" };
  const { answer: other } = await it.post(it.body(MESSAGES.asked(ofModel, "unlimited")));
  const open = MESSAGES.called(other);
  // Those before are no longer open.
  const { answer: late } = await it.post(it.body(MESSAGES.asked(call, "yes")));
  expect(MESSAGES.called(late).name).toBe("ask_person");
  expect(it.sent()).toBe(1);
  const reply = it.body(MESSAGES.asked(MESSAGES.called(late), "yes"));
  await it.post(reply);
  expect(it.sent()).toBe(2);
  // The same request again is a retry: it grants nothing more, and is no turn.
  await it.post(reply);
  expect(it.gateway.run.summary).toMatchObject({ turns: 2, requests: 3 });
  const { answer: next } = await it.post(it.body([...MESSAGES.turn(2), ...MESSAGES.asked(open, "yes")]));
  expect(MESSAGES.called(next).name).toBe("ask_person");
  expect(it.sent()).toBe(3);
});

test("answered elsewhere, the dialog is too late: its turn goes on, and nothing is granted twice", async () => {
  const it = await asking(MESSAGES, { turns: 1 });
  await it.works(1);
  const call = await it.call();
  it.answersElsewhere(true);
  await vi.waitFor(() => expect(it.dialog.isOpen).toBe(false));
  expect(it.sent()).toBe(1);
  it.items.push(...MESSAGES.asked(call, "No"));
  await it.post(it.body());
  expect(it.sent()).toBe(2);
  expect(it.last()).not.toContain("ask_turn_limit");
  expect(it.gateway.run.summary).toMatchObject({ turns: 2 });
  expect(await it.close()).toMatchObject({ turns: 2, outcome: { kind: "completed" } });
});

test("an agent that ends with the dialog open has dismissed it; a turn that was allowed elsewhere is given back", async () => {
  const open = await asking(MESSAGES, { turns: 1 });
  await open.works(1);
  await open.call();
  expect(await open.close()).toMatchObject({
    turns: 1,
    endedBy: { limit: "turns" },
    outcome: { kind: "declined" },
  });

  const allowed = await asking(MESSAGES, { turns: 1 });
  await allowed.works(1);
  await allowed.call();
  allowed.answersElsewhere(true);
  await vi.waitFor(() => expect(allowed.dialog.isOpen).toBe(false));
  expect(await allowed.close()).toMatchObject({ turns: 1, requests: 1, endedBy: undefined });
});

test("an agent that ends with the dialog open is parked, if that is wanted", async () => {
  const park = vi.fn(async () => "Resume it.");
  const it = await asking(MESSAGES, { turns: { max: 1, headless: "stop" }, park });
  await it.works(1);
  await it.call();
  expect(await it.close()).toMatchObject({ turns: 1, outcome: { kind: "stopped" } });
  expect(park).toHaveBeenCalledOnce();
});

test("a request that does not offer the tool is held, as ever", async () => {
  const it = await asking(MESSAGES, { turns: 1 });
  await it.works(1);
  const held = it.post(it.body([], false));
  await vi.waitFor(() => expect(it.questions).toHaveLength(1));
  expect(it.dialog.isOpen).toBe(false);
  it.answersElsewhere(true);
  expect((await held).status).toBe(200);
  expect(it.sent()).toBe(2);
});

test("of sub-agents at the limit one asks, and the others wait for its reply", async () => {
  const it = await asking(MESSAGES, { turns: 1 });
  await it.works(1);
  const sub = (talk: string, more: readonly string[] = []) =>
    it.post(it.body([json({ role: "user", content: talk }), ...more]), { "x-kind": "sub", "x-talk": talk });
  const first = MESSAGES.called((await sub("one")).answer);
  const second = sub("two");
  const third = it.post(it.body([], false), { "x-kind": "sub", "x-talk": "three" });
  await sub("one", MESSAGES.asked(first, "3"));
  expect([(await second).status, (await third).status]).toEqual([200, 200]);
  expect(it.questions).toHaveLength(1);
  expect(it.sent()).toBe(4);
});

test("a later gateway takes the pair out, too, without a profile and in a summary of the transcript", async () => {
  const call = { id: `ask_turn_limit_${"a".repeat(32)}`, name: "ask_person", args: { questions: [] } };
  const provider = await recordingProvider();
  const { base } = await agent({ requests: 10 }, provider);
  for (const wire of Object.values(WIRES)) {
    const items = [...wire.begin, ...wire.turn(1)];
    await fetch(base + wire.path, {
      method: "POST",
      body: wire.body([...items, ...wire.asked(call, "yes"), ...wire.turn(2)]),
    });
    expect(provider.received.at(-1)?.text).toBe(wire.body([...items, ...wire.turn(2)]));
  }
  const { responses } = WIRES as { responses: Wire };
  await fetch(`${base}/v1/responses/compact`, {
    method: "POST",
    body: responses.body([...responses.begin, ...responses.asked(call, "yes")]),
  });
  expect(provider.received.at(-1)?.text).toBe(responses.body(responses.begin));
});

test("what else is in a message with the pair stays, and where the provider's cache ends is said before it", async () => {
  const call = { id: `ask_turn_limit_${"b".repeat(32)}`, name: "ask_person", args: { questions: [] } };
  const provider = await recordingProvider();
  const { base } = await agent({ requests: 10 }, provider);
  const send = async (path: string, body: object) => {
    await fetch(base + path, { method: "POST", body: json(body) });
    return provider.received.at(-1)?.body as never;
  };
  const cache_control = { type: "ephemeral" };
  const use = { type: "tool_use", id: call.id, name: "x", input: {} };
  const result = { type: "tool_result", tool_use_id: call.id, content: "yes" };
  const before = { type: "tool_result", tool_use_id: "t", content: "ok" };
  expect(
    await send("/v1/messages", {
      messages: [
        { role: "user", content: [before] },
        { role: "assistant", content: [{ type: "text", text: "Well." }, use] },
        {
          role: "user",
          content: [
            { ...result, cache_control },
            { type: "text", text: "Also this." },
          ],
        },
      ],
    }),
  ).toEqual({
    messages: [
      { role: "user", content: [before] },
      { role: "assistant", content: [{ type: "text", text: "Well.", cache_control }] },
      { role: "user", content: [{ type: "text", text: "Also this." }] },
    ],
  });
  const own = { id: call.id, type: "function", function: { name: "x", arguments: "{}" } };
  const other = { ...own, id: "t" };
  expect(
    await send("/v1/chat/completions", {
      messages: [
        { role: "assistant", content: "Well.", tool_calls: [own] },
        { role: "assistant", content: null, tool_calls: [own, other] },
        { role: "tool", tool_call_id: call.id, content: "yes" },
      ],
    }),
  ).toEqual({
    messages: [
      { role: "assistant", content: "Well." },
      { role: "assistant", content: null, tool_calls: [other] },
    ],
  });
});
