import { setImmediate } from "node:timers/promises";
import type {
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
  Options,
  SyncHookJSONOutput,
} from "@anthropic-ai/claude-agent-sdk";
import type { Run } from "../../run/run.ts";

type Hooks = NonNullable<Options["hooks"]>;

/** What the program is answered at its events. */
export type HookAnswers = {
  [E in HookEvent]?: (input: Extract<HookInput, { hook_event_name: E }>) => Promise<HookJSONOutput>;
};

/** What is told of the program's events, and answers them. */
export interface EventHandler {
  readonly answers: HookAnswers;
  /** Does nobody read the query any more? Then the hooks only end what the program does. */
  readonly isClosed: boolean;
  /** A hook of the caller's sends an agent on: what the program is answered. */
  sentOn(input: StopInput, output: SyncHookJSONOutput): Promise<HookJSONOutput>;
  /** A hook of the caller's ends the agent with this id, or the main loop, after tool calls. */
  endedByHook(agentId: string | undefined): void;
  /** Somebody denied a tool call. */
  denied(id: string): void;
  fail(error: unknown): void;
}

/** In seconds: the longest that a timer can be set to, because a person takes time to answer. */
const NO_TIMEOUT = 2_147_483;

/** These are decided at once: calls in the model's order, and what a sub-agent did before anything else is. */
const AT_ONCE: readonly HookEvent[] = ["PreToolUse", "SubagentStop"];

/** An agent is about to end. */
export type StopInput = Extract<HookInput, { hook_event_name: "Stop" | "SubagentStop" }>;

/** Our hooks, before the caller's own, of which the loop has to know what they answer. */
export function governedHooks(own: Hooks = {}, loop: EventHandler): Hooks {
  const { answers } = loop;
  const hooks: Hooks = { ...own };
  for (const [event, heard] of Object.entries(heardHooks(loop)) as [HookEvent, Heard][])
    if (own[event]) hooks[event] = own[event].map((matcher) => heardMatcher(matcher, heard));
  // What a person is asked before an agent is sent on takes time.
  for (const event of ["Stop", "SubagentStop"] as const)
    if (hooks[event]) hooks[event] = hooks[event].map((matcher) => ({ timeout: NO_TIMEOUT, ...matcher }));
  for (const event of Object.keys(answers) as HookEvent[]) {
    const hook = async (input: HookInput): Promise<HookJSONOutput> => {
      // By then all messages before the event have been seen.
      if (!AT_ONCE.includes(event)) await setImmediate();
      if (loop.isClosed)
        return { continue: false, ...(event === "PreToolUse" && denial("The query is over.")) };
      try {
        return (await answers[event]?.(input as never)) ?? {};
      } catch (error) {
        // Must not throw: the program would go on without an answer.
        loop.fail(error);
        return { continue: false };
      }
    };
    hooks[event] = [{ hooks: [hook], timeout: NO_TIMEOUT }, ...(hooks[event] ?? [])];
  }
  return hooks;
}

/** Hears what a hook of the caller's answers, and says what the program is answered. */
type Heard = (
  output: SyncHookJSONOutput,
  input: HookInput,
  id: string | undefined,
) => HookJSONOutput | Promise<HookJSONOutput>;

function heardHooks(loop: EventHandler): Partial<Record<HookEvent, Heard>> {
  const sentOn: Heard = async (output, input) => {
    if (loop.isClosed) return { continue: false };
    if (!sendsOn(output)) return output;
    try {
      return await loop.sentOn(input as StopInput, output);
    } catch (error) {
      loop.fail(error);
      return { continue: false };
    }
  };
  const ended: Heard = (output, input) => {
    if (endsAfter(input, output)) loop.endedByHook(agentIn(input));
    return output;
  };
  return {
    PreToolUse(output, _input, id) {
      if (id !== undefined && denies(output)) loop.denied(id);
      return output;
    },
    PostToolUse: ended,
    PostToolUseFailure: ended,
    PostToolBatch: ended,
    Stop: sentOn,
    SubagentStop: sentOn,
  };
}

/** What the program is answered whose tool call must not run. The reason is for the model. */
export function denial(reason: string): SyncHookJSONOutput {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  };
}

/** The options that are dialogs with a person. */
type Dialogs = Pick<Options, "canUseTool" | "onElicitation" | "onUserDialog">;

/** The caller's dialogs with a person, who may deny a tool call. The time that they take does not count. */
export function governedDialogs(
  { canUseTool, onElicitation, onUserDialog }: Dialogs,
  run: Run,
  loop: Pick<EventHandler, "denied">,
): Dialogs {
  let open = 0;

  function governed<Given extends unknown[], Answer>(dialog: (...given: Given) => Promise<Answer>) {
    return async (...given: Given): Promise<Answer> => {
      open += 1;
      run.waiting(true);
      try {
        return await dialog(...given);
      } finally {
        open -= 1;
        if (open === 0) run.waiting(false);
      }
    };
  }

  return {
    ...(canUseTool && {
      canUseTool: governed(async (tool, input, options) => {
        const answer = await canUseTool(tool, input, options);
        if (answer?.behavior === "deny" && !options.signal?.aborted) loop.denied(options.toolUseID);
        return answer;
      }),
    }),
    ...(onElicitation && { onElicitation: governed(onElicitation) }),
    ...(onUserDialog && { onUserDialog: governed(onUserDialog) }),
  };
}

function heardMatcher({ hooks, ...matcher }: HookCallbackMatcher, heard: Heard): HookCallbackMatcher {
  const around = (hook: HookCallback): HookCallback => {
    return async (input, id, options) => {
      const output = await hook(input, id, options);
      // After its timeout, the program does not hear it.
      if (!output || "async" in output || options.signal.aborted) return output;
      return heard(output, input, id);
    };
  };
  return { ...matcher, hooks: hooks.map(around) };
}

function agentIn(input: HookInput): string | undefined {
  return "agent_id" in input ? input.agent_id : undefined;
}

function denies({ decision, hookSpecificOutput: more }: SyncHookJSONOutput): boolean {
  if (decision === "block") return true;
  if (more?.hookEventName !== "PreToolUse") return false;
  return more.permissionDecision === "deny" || more.permissionDecision === "defer";
}

function endsAfter(
  { hook_event_name }: HookInput,
  { continue: goesOn, decision }: SyncHookJSONOutput,
): boolean {
  return goesOn === false || (hook_event_name === "PostToolBatch" && decision === "block");
}

function sendsOn({ continue: goesOn, decision, hookSpecificOutput: more }: SyncHookJSONOutput): boolean {
  if (goesOn === false) return false;
  const isOfStop = more?.hookEventName === "Stop" || more?.hookEventName === "SubagentStop";
  return decision === "block" || (isOfStop && more.additionalContext !== undefined);
}
