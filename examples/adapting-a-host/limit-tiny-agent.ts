import type { Outcome } from "turn-limit";
import { type AdapterOptions, Driver } from "turn-limit/adapter";
import type { TinyAgent } from "./tiny-agent.ts";

/** Puts limits on an agent. */
export function limitTinyAgent(agent: TinyAgent, options: AdapterOptions = {}) {
  const driver = new Driver(options);

  agent.aroundRequest = async (request, send) => {
    const admission = await driver.admitTurn(request.signal);
    if (admission.kind === "stop") return undefined;
    driver.requestSent();
    if (driver.signal.aborted) return undefined;
    const messages = [...request.messages];
    if ("message" in admission) messages.push({ role: "user", text: admission.message });
    const tools = admission.kind === "synthesize" ? [] : request.tools;
    const signal = AbortSignal.any([request.signal, driver.signal]);
    try {
      const answer = await send({ messages, tools, signal });
      driver.turnEnded({ usage: answer.usage });
      return answer;
    } catch (error) {
      driver.turnEnded(request.signal.aborted ? "aborted" : "failed");
      if (driver.signal.aborted) return undefined;
      throw error;
    }
  };

  agent.aroundCall = async (call, run) => {
    const refusal = await driver.refusal(call);
    if (refusal !== undefined) return refusal;
    const executed = await driver.execute(call, run);
    return executed.kind === "result" ? executed.result : executed.reason;
  };

  const prompt = agent.prompt.bind(agent);
  agent.prompt = async (text, signal) => {
    driver.begin();
    try {
      const answer = await prompt(text, signal);
      if (driver.raisedError) throw driver.raisedError;
      return answer;
    } finally {
      driver.end(signal?.aborted ? "aborted" : undefined);
      await driver.poolsSettled();
    }
  };

  return {
    governor: driver.governor,
    get outcome(): Outcome | undefined {
      return driver.outcome;
    },
  };
}
