import {
  type AdapterOptions,
  type LoopTurn,
  limitLoop,
  type SubAgentLimits,
} from "../../src/adapters/loop/index.ts";
import {
  callId,
  callsOf,
  everything,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedCall,
  type ScriptedHost,
  type SeenRequest,
} from "../../src/testing/scripted-host.ts";

interface Message {
  role: "user" | "assistant" | "tool";
  text: string;
  calls: ScriptedCall[];
  answers?: string;
}

const RETRIES = 2;

/** A loop as one writes it by hand, with a retry around its requests. */
async function play({
  limits,
  model,
  signal,
  prompts = 1,
  onExecute,
  onSubmit,
  onControl,
  usage,
}: Scenario): Promise<Observed> {
  const seen = nothingSeen();
  const governed = limitLoop(limits);
  onControl?.(governed);
  const messages: Message[] = [];
  const user = (text: string): Message => ({ role: "user", text, calls: [] });

  const tools = onSubmit ? ["work", "submit"] : ["work"];

  async function request(turn: LoopTurn): Promise<Message> {
    const sent: SeenRequest = {
      index: seen.requests.length + 1,
      tools: tools.filter((tool) => turn.offers(tool)),
      forced: turn.finalTool,
      texts: [...messages.map(({ text }) => text), ...turn.messages],
    };
    governed.requestSent();
    governed.signal.throwIfAborted();
    seen.requests.push(sent);
    const reply = model(sent);
    if ("stalls" in reply)
      await stalled(signal ? AbortSignal.any([signal, governed.signal]) : governed.signal);
    if ("fails" in reply || "stalls" in reply) throw new Error("overloaded");
    if ("text" in reply) return { role: "assistant", text: reply.text, calls: [] };
    return { role: "assistant", text: "", calls: callsOf(reply, sent.index) };
  }

  async function work({ args }: ScriptedCall): Promise<string> {
    if ("found" in args) {
      onSubmit?.(args.found);
      seen.submitted.push(args.found);
      return "accepted";
    }
    const { id } = args;
    seen.executed.push(id);
    const result = await onExecute?.(id);
    return typeof result === "string" ? result : "done";
  }

  async function run(): Promise<void> {
    let failures = 0;
    for (let turn = await governed.nextTurn(signal); turn; turn = await governed.nextTurn(signal)) {
      let answer: Message;
      try {
        answer = await request(turn);
        failures = 0;
      } catch (error) {
        if (governed.signal.aborted || signal?.aborted) return void governed.turnEnded("aborted");
        governed.turnEnded("failed");
        failures += 1;
        if (failures > RETRIES) throw error;
        continue;
      }
      const reported = usage === "zero" ? { input: 0, output: 0 } : { input: 100, output: 20 };
      governed.turnEnded(usage === "none" ? {} : { usage: reported });
      messages.push(answer);
      if (answer.calls.length === 0) {
        seen.answer = answer.text;
        return;
      }
      for (const call of answer.calls) {
        const text =
          (await governed.refusal(call)) ?? (await governed.execute(call, () => work(call)).catch(String));
        messages.push({ role: "tool", text, calls: [], answers: call.id });
      }
      if (signal?.aborted) return void governed.turnEnded("aborted");
    }
  }

  for (let prompt = 0; prompt < prompts; prompt += 1) {
    messages.push(user("go"));
    governed.begin();
    try {
      await run();
    } catch (error) {
      seen.error = error;
    }
    seen.outcomes.push(governed.end());
    await governed.poolsSettled();
  }
  const answered = new Set(messages.map(({ answers }) => answers));
  seen.orphans = messages.flatMap(({ calls }) => calls).filter(({ id }) => !answered.has(id)).length;
  return seen;
}

function stalled(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

/** Workers of one run that share its limits. */
async function turnsAtOnce(limits: AdapterOptions, count: number) {
  const governed = limitLoop(limits);
  governed.begin();
  const turns = await Promise.all(Array.from({ length: count }, () => governed.nextTurn()));
  return { begun: turns.filter((turn) => turn !== undefined).length, outcome: governed.end() };
}

/** A loop whose tool calls run another loop. */
async function playWithSubAgents({ limits, model }: Pick<Scenario, "limits" | "model">): Promise<Observed> {
  const seen = nothingSeen();
  const governed = limitLoop(limits);

  async function work(loop: SubAgentLimits, run: () => Promise<unknown>): Promise<string | undefined> {
    for (let turn = await loop.nextTurn(); turn; turn = await loop.nextTurn()) {
      const request = {
        index: seen.requests.length + 1,
        tools: ["work"].filter((tool) => turn.offers(tool)),
        texts: [...turn.messages],
      };
      seen.requests.push(request);
      const reply = model(request);
      loop.turnEnded();
      if ("text" in reply) return reply.text;
      const call = { id: callId(request.index, 1), tool: "work", args: {} };
      if ((await loop.refusal(call)) === undefined) await loop.execute(call, run);
    }
    return undefined;
  }

  governed.begin();
  try {
    seen.answer = await work(governed, () => work(governed.subAgent(), async () => "done"));
  } catch (error) {
    seen.error = error;
  }
  seen.outcomes.push(governed.end());
  return seen;
}

const ONES_OWN = "the loop is one's own";

/** The hand-written loop. */
export const host: ScriptedHost = {
  name: "turn-limit/loop",
  can: {
    ...everything,
    streaming: ONES_OWN,
    classTools: ONES_OWN,
    approvals: ONES_OWN,
    structured: ONES_OWN,
    endRule: ONES_OWN,
    transparent: ONES_OWN,
    runsAtOnce: "a loop works for one prompt at a time",
  },
  play,
  playWithSubAgents,
  turnsAtOnce,
  make: limitLoop,
};
