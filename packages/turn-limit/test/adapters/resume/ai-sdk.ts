/** A process that works for a run until a call waits for approval, and one that goes on with the answer. */
import { generateText, type ModelMessage } from "ai";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import { createPool } from "../../../src/index.ts";
import { sqliteStore } from "../../../src/pools/stores/sqlite/index.ts";
import type { SeenRequest } from "../../../src/testing/scripted-host.ts";
import { answer } from "../../helpers/in-another-process.ts";
import { approvals, scriptedModel, workTool } from "../../hosts/ai-sdk.ts";

/** What the process is to do. */
export interface Work {
  /** The pool of the run, and the file that it is kept in. */
  run: string;
  turns: number;
  file: string;
  /** What an earlier process left. Without it a run begins. */
  earlier?: Worked;
}

/** What came of it. */
export interface Worked {
  messages: ModelMessage[];
  /** The requests of the run so far, in all processes. */
  requests: SeenRequest[];
  executed: string[];
  outcome: unknown;
}

answer<Work>(async ({ run, turns, file, earlier }): Promise<Worked> => {
  const { requests = [], executed = [], messages = [{ role: "user", content: "go" }] } = earlier ?? {};
  const pool = createPool({ id: run, turns, store: sqliteStore(file) });
  const limits = limitToolLoop({ turns: "unlimited", pool });
  const work = workTool((id) => {
    executed.push(id);
  });
  const responses = approvals(messages, () => true);
  if (responses.length > 0) messages.push({ role: "tool", content: responses });
  const result = await generateText(
    limits.govern({
      model: scriptedModel(requests, () => ({ calls: 1 })),
      tools: { work: { ...work, needsApproval: true } },
      messages: [...messages],
    }),
  );
  messages.push(...result.responseMessages);
  return { messages, requests, executed, outcome: limits.outcomeOf(result) };
});
