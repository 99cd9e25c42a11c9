import { deserialize, serialize } from "node:v8";
import { Command, MemorySaver } from "@langchain/langgraph";
import {
  AIMessage,
  type BaseMessage,
  createAgent,
  HumanMessage,
  humanInTheLoopMiddleware,
  modelCallLimitMiddleware,
  toolCallLimitMiddleware,
} from "langchain";
import { turnLimitMiddleware } from "../packages/turn-limit/src/adapters/langchain/index.ts";
import type { SeenRequest } from "../packages/turn-limit/src/testing/scripted-host.ts";
import {
  answerOf,
  orphansOf,
  plain,
  quickRetry,
  ScriptedModel,
  workTool,
} from "../packages/turn-limit/test/hosts/langchain.ts";
import { type Contender, earlierRequests, type Left, type Seen, type Trial } from "./contender.ts";
import { ourLimits } from "./our-limits.ts";

const framework = "LangChain";
const thread = { configurable: { thread_id: "thread" } };
/** High enough that the limit on trial comes before LangGraph's recursion limit, and low enough that a run ends. */
const OUT_OF_THE_WAY = 400;

/** A limiter as the agents get it, the sub-agents too. */
interface Limiter {
  middleware?: object;
  recursionLimit?: number;
  reason?(): string | undefined;
}

/** Plays the trial with `invoke()`, on a thread that a checkpointer saves. */
async function play(trial: Trial, { middleware, recursionLimit, reason }: Limiter): Promise<Seen> {
  const requests: SeenRequest[] = [];
  let executed = 0;
  const agentOf = (script: Trial["model"], work?: () => unknown) =>
    createAgent({
      model: new ScriptedModel(script, requests),
      tools: [
        workTool(() => {
          executed += 1;
          return work?.();
        }),
      ],
      middleware: middleware ? [plain(middleware), quickRetry()] : [quickRetry()],
      checkpointer: new MemorySaver(),
    }).withConfig({ recursionLimit: recursionLimit ?? OUT_OF_THE_WAY });
  const go = () => ({ messages: [new HumanMessage("go")] });
  const subAgent = () => {
    let asked = 0;
    return agentOf(() => (++asked === 1 ? { calls: 1 } : { text: "did it" }));
  };
  const agent = agentOf(trial.model, async () => {
    if (trial.subAgents) await subAgent().invoke(go());
    await trial.work?.();
  });

  let error: unknown;
  for (let prompt = 0; prompt < (trial.prompts ?? 1); prompt += 1) {
    error = undefined;
    await agent.invoke(go(), thread).catch((thrown: unknown) => {
      error = thrown;
    });
  }
  const { messages } = (await agent.graph.getState(thread)).values as { messages: BaseMessage[] };
  return {
    requests: requests.length,
    executed,
    orphans: orphansOf(messages),
    ...said(messages, error, reason),
  };
}

/** Plays until a call waits for approval. What goes on elsewhere is the thread, as its checkpointer has it. */
async function goOn(
  { model }: Trial,
  { middleware, recursionLimit, reason }: Limiter,
  earlier: Left | undefined,
): Promise<Left> {
  const requests = earlierRequests(earlier);
  let executed = earlier?.executed ?? 0;
  const checkpointer = new MemorySaver();
  if (earlier) Object.assign(checkpointer, deserialize(Buffer.from(String(earlier.saved), "base64")));
  const approve = { interruptOn: { work: { allowedDecisions: ["approve"] } } };
  const agent = createAgent({
    model: new ScriptedModel(model, requests),
    tools: [
      workTool(() => {
        executed += 1;
      }),
    ],
    middleware: [middleware, humanInTheLoopMiddleware(approve as never)].flatMap((one) =>
      one ? [plain(one)] : [],
    ),
    checkpointer,
  }).withConfig({ recursionLimit: recursionLimit ?? OUT_OF_THE_WAY });
  const input = earlier
    ? new Command({ resume: { decisions: [{ type: "approve" }] } })
    : { messages: [new HumanMessage("go")] };
  let error: unknown;
  const result = await agent
    .invoke(input as { messages: HumanMessage[] }, thread)
    .catch((thrown: unknown) => {
      error = thrown;
      return {};
    });
  const { messages } = (await agent.graph.getState(thread)).values as { messages: BaseMessage[] };
  const { storage, writes } = checkpointer;
  return {
    requests: requests.length,
    executed,
    orphans: orphansOf(messages),
    ...said(messages, error, reason),
    ...("__interrupt__" in result && { saved: serialize({ storage, writes }).toString("base64") }),
  };
}

/** The answer, and why the run ended. */
function said(
  messages: BaseMessage[],
  error: unknown,
  reason: Limiter["reason"],
): Pick<Seen, "answer" | "reason"> {
  const limiterSaid = saidByLimiter(messages);
  return {
    answer: limiterSaid === undefined ? answerOf(messages) : undefined,
    reason:
      [error && firstLine(error), limiterSaid && `the last message: ${limiterSaid}`, reason?.()]
        .filter(Boolean)
        .join("; ") || undefined,
  };
}

/** The last message, if a limiter put it there in the model's name: it took no tokens. */
function saidByLimiter(messages: BaseMessage[]): string | undefined {
  const last = messages.at(-1);
  return AIMessage.isInstance(last) && last.usage_metadata === undefined ? last.text : undefined;
}

function firstLine(error: unknown): string {
  return String(error).split("\n", 1)[0] ?? "";
}

function ours(trial: Trial): Limiter {
  const middleware = turnLimitMiddleware(ourLimits(trial));
  return {
    middleware,
    ...middleware.config,
    reason() {
      const { kind, limit } = middleware.outcome ?? {};
      return limit ? `outcome ${kind} by ${limit}` : `outcome ${kind}`;
    },
  };
}

function modelCalls({ turns }: Trial): Limiter {
  return { middleware: modelCallLimitMiddleware({ runLimit: turns } as never) };
}

/**
 * LangChain's own limiters, each as it is by default, and ours. None of its own has a way to a final answer. The options
 * are cast because LangChain's types for them do not allow for `exactOptionalPropertyTypes`.
 */
export const contenders: Contender[] = [
  {
    framework,
    limiter: "modelCallLimitMiddleware({ runLimit: n })",
    ours: false,
    play: async (trial) =>
      trial.turns === undefined ? "limits model calls, not tool calls" : play(trial, modelCalls(trial)),
    goOn: (trial, earlier) => goOn(trial, modelCalls(trial), earlier),
  },
  {
    framework,
    limiter: "toolCallLimitMiddleware({ runLimit: n })",
    ours: false,
    play: async (trial) =>
      trial.steps === undefined
        ? "limits tool calls, not turns"
        : play(trial, { middleware: toolCallLimitMiddleware({ runLimit: trial.steps } as never) }),
    goOn: "limits tool calls, not turns",
  },
  {
    framework,
    limiter: "recursionLimit: 2n",
    ours: false,
    play: async (trial) =>
      trial.turns === undefined
        ? "limits graph steps, in which any number of tool calls run"
        : play(trial, { recursionLimit: 2 * trial.turns }),
    goOn: (trial, earlier) => goOn(trial, { recursionLimit: 2 * (trial.turns ?? 0) }, earlier),
  },
  {
    framework,
    limiter: "turn-limit",
    ours: true,
    play: (trial) => play(trial, ours(trial)),
    // The thread carries the limit.
    goOn: ({ pool: _, ...trial }, earlier) => goOn(trial, ours(trial), earlier),
  },
];
