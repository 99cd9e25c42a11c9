import { limitLoop } from "../../src/adapters/loop.ts";
import {
  callId,
  everything,
  type Host,
  nothingSeen,
  type Observed,
  type Scenario,
  type SeenRequest,
} from "../contract/Host.ts";

interface Message {
  role: "user" | "assistant" | "tool";
  text: string;
  calls: string[];
  answers?: string;
}

const RETRIES = 2;

/** A loop as one writes it by hand, with a retry around its requests. */
async function play({ limits, model, signal, prompts = 1, onExecute }: Scenario): Promise<Observed> {
  const seen = nothingSeen();
  const governed = limitLoop(limits);
  const messages: Message[] = [];
  const user = (text: string): Message => ({ role: "user", text, calls: [] });

  async function request(tools: boolean, told: readonly string[]): Promise<Message> {
    const texts = [...messages.map(({ text }) => text), ...told];
    const sent: SeenRequest = { index: seen.requests.length + 1, tools: tools ? ["work"] : [], texts };
    seen.requests.push(sent);
    const reply = model(sent);
    if ("fails" in reply) throw new Error("overloaded");
    if ("text" in reply) return { role: "assistant", text: reply.text, calls: [] };
    return {
      role: "assistant",
      text: "",
      calls: Array.from({ length: reply.calls }, (_, n) => callId(sent.index, n + 1)),
    };
  }

  async function run(): Promise<void> {
    let failures = 0;
    for (let turn = await governed.nextTurn(signal); turn; turn = await governed.nextTurn(signal)) {
      let answer: Message;
      try {
        answer = await request(turn.tools, turn.messages);
        failures = 0;
      } catch (error) {
        governed.turnEnded("failed");
        failures += 1;
        if (failures > RETRIES) throw error;
        continue;
      }
      governed.turnEnded({ usage: { input: 100, output: 20 } });
      messages.push(...turn.messages.map(user), answer);
      if (answer.calls.length === 0) {
        seen.answer = answer.text;
        return;
      }
      for (const id of answer.calls) {
        const refused = governed.refusal();
        if (refused === undefined) {
          seen.executed.push(id);
          onExecute?.(id);
        }
        messages.push({ role: "tool", text: refused ?? "done", calls: [], answers: id });
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
  }
  const answered = new Set(messages.map(({ answers }) => answers));
  seen.orphans = messages.flatMap(({ calls }) => calls).filter((id) => !answered.has(id)).length;
  return seen;
}

/** The hand-written loop. */
export const host: Host = {
  name: "turn-limit/loop",
  can: { ...everything, streaming: "the loop is one's own" },
  play,
  make: limitLoop,
};
