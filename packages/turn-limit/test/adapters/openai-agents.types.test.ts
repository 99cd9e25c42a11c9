import { Agent, type AgentInputItem, run as hostRun, RunContext } from "@openai/agents";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { limitRuns, type RunInfo } from "../../src/adapters/openai-agents/index.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";

interface App {
  user: string;
}

const agent = new Agent<App, z.ZodObject<{ found: z.ZodString }>>({
  name: "Worker",
  outputType: z.object({ found: z.string() }),
});

// Only the compiler reads these functions.
const { run, subAgent, outcomeOf } = limitRuns({ turns: 5 });
const context: App = { user: "somebody" };

type Result<Run extends () => unknown> = Awaited<ReturnType<Run>>;
type Found = { found: string } | undefined;

test("a result has the types of the host", () => {
  const plain = () => run(agent, "go", { context });
  const hosts = () => hostRun(agent, "go", { context });
  expectTypeOf<Result<typeof plain>>().toExtend<Result<typeof hosts>>();
  expectTypeOf<Result<typeof plain>["finalOutput"]>().toEqualTypeOf<Found>();
  expectTypeOf<Result<typeof plain>["outcome"]>().toEqualTypeOf<Outcome | undefined>();
  const streamed = () => run(agent, "go", { context, stream: true });
  const hostsStreamed = () => hostRun(agent, "go", { context, stream: true });
  expectTypeOf<Result<typeof streamed>>().toExtend<Result<typeof hostsStreamed>>();
  expectTypeOf<Result<typeof streamed>["completed"]>().toEqualTypeOf<Promise<void>>();
  expectTypeOf(outcomeOf).returns.toEqualTypeOf<Outcome | undefined>();
});

test("so has that of a sub-agent, and its context is the tool's", () => {
  const given = new RunContext(context);
  const plain = () => subAgent(given, agent, "go");
  expectTypeOf<Result<typeof plain>["finalOutput"]>().toEqualTypeOf<Found>();
  expectTypeOf<Result<typeof plain>["runContext"]>().toEqualTypeOf<RunContext<App>>();
  const streamed = () => subAgent(given, agent, "go", { stream: true });
  expectTypeOf<Result<typeof streamed>["completed"]>().toEqualTypeOf<Promise<void>>();
});

test("callbacks of the settings know what they are given", () => {
  void (() =>
    run(agent, "go", {
      context,
      callModelInputFilter: ({ modelData }) => {
        expectTypeOf(modelData.input).toEqualTypeOf<AgentInputItem[]>();
        return modelData;
      },
      toolErrorFormatter: ({ kind, callId }) => {
        expectTypeOf(kind).toEqualTypeOf<"approval_rejected" | "tool_not_found">();
        return callId;
      },
      errorHandlers: {
        maxTurns: ({ runData }) => {
          expectTypeOf(runData.history).toEqualTypeOf<AgentInputItem[]>();
          return { finalOutput: { found: "" } };
        },
      },
    }));
  void (() =>
    limitRuns({
      ask: (question, signal, run) => {
        expectTypeOf(run).toEqualTypeOf<RunInfo>();
        return question.used < 9 && !signal.aborted;
      },
      onOutcome: (outcome, run) => expectTypeOf([outcome, run]).toEqualTypeOf<(Outcome | RunInfo)[]>(),
    }));
});

test("settings that the host does not have are refused", () => {
  // @ts-expect-error
  void (() => run(agent, "go", { contxt: context }));
  // @ts-expect-error
  void (() => run(agent, "go", { stream: true, sesion: undefined }));
  // @ts-expect-error
  void (() => subAgent(undefined, agent, "go", { singal: undefined }));
  // @ts-expect-error: the limits are what ends a run.
  void (() => run(agent, "go", { maxTurns: 5 }));
  // @ts-expect-error
  void (() => run(agent));
});
