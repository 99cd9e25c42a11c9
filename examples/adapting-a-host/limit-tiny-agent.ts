import type { Outcome } from "turn-limit";
import { type AdapterOptions, limitError, Run, type RunControl } from "turn-limit/adapter";
import type { TinyAgent } from "./tiny-agent.ts";

/** Puts limits on an agent. */
export function limitTinyAgent(agent: TinyAgent, options: AdapterOptions = {}) {
  const run = new Run(options);

  agent.aroundRequest = async (request, send) => {
    const turn = await run.nextTurn({ signal: request.signal });
    if (turn.kind === "stop") return undefined;
    if (turn.sent()) return undefined;
    const messages = [...request.messages];
    if (turn.message !== undefined) messages.push({ role: "user", text: turn.message });
    const tools = request.tools.filter((tool) => turn.offers(tool));
    const signal = AbortSignal.any([request.signal, turn.signal]);
    try {
      const answer = await send({ messages, tools, signal });
      const { usage } = answer;
      // No answer takes nothing: a model that reports 0 tokens reports nothing.
      turn.answered(usage.input + usage.output > 0 ? { usage } : {});
      return answer;
    } catch (error) {
      turn.failed(request.signal.aborted ? "aborted" : "failed");
      if (turn.signal.aborted) return undefined;
      throw error;
    }
  };

  agent.aroundCall = async (toolCall, execute) => {
    const call = await run.turn.call(toolCall);
    if (call.kind === "refused") return call.reason;
    const executed = await call.execute(execute);
    return executed.kind === "result" ? executed.result : executed.reason;
  };

  const prompt = agent.prompt.bind(agent);
  agent.prompt = async (text, signal) => {
    run.begin();
    try {
      const answer = await prompt(text, signal);
      const { stop } = run.view;
      const error = stop && limitError(stop);
      if (error) throw error;
      return answer;
    } finally {
      run.end(signal?.aborted ? "aborted" : undefined);
      await run.shared.done();
    }
  };

  return {
    control: run as RunControl,
    get outcome(): Outcome | undefined {
      return run.outcome;
    },
  };
}
