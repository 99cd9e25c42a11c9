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
  /** A hook of the caller's sends the agent on: what the program is answered. */
  sentOn(output: SyncHookJSONOutput): Promise<HookJSONOutput>;
  /** Somebody denied a tool call. */
  denied(id: string): void;
  fail(error: unknown): void;
}

/** In seconds: the longest that a timer can be set to, because a person takes time to answer. */
const NO_TIMEOUT = 2_147_483;

/** Our hooks, before the caller's own. */
export function governedHooks(own: Hooks = {}, loop: EventHandler): Hooks {
  const { answers } = loop;
  const { PreToolUse = [], Stop = [] } = own;
  const hooks: Hooks = {
    ...own,
    PreToolUse: PreToolUse.map((matcher) =>
      afterHooks(matcher, (output, id, signal) => {
        // After its timeout, nobody heard it.
        if (id !== undefined && denies(output) && !signal.aborted) loop.denied(id);
        return output;
      }),
    ),
    Stop: Stop.map((matcher) =>
      afterHooks({ timeout: NO_TIMEOUT, ...matcher }, (output) =>
        sendsOn(output) ? loop.sentOn(output) : output,
      ),
    ),
  };
  for (const event of Object.keys(answers) as HookEvent[]) {
    const hook = async (input: HookInput): Promise<HookJSONOutput> => {
      // By then all messages before the event have been seen. Tool calls are decided at once, in the model's order.
      if (event !== "PreToolUse") await setImmediate();
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

function afterHooks(
  { hooks, ...matcher }: HookCallbackMatcher,
  after: (
    output: HookJSONOutput,
    id: string | undefined,
    signal: AbortSignal,
  ) => HookJSONOutput | Promise<HookJSONOutput>,
): HookCallbackMatcher {
  const around = (hook: HookCallback): HookCallback => {
    return async (input, id, options) => after(await hook(input, id, options), id, options.signal);
  };
  return { ...matcher, hooks: hooks.map(around) };
}

function denies(output: HookJSONOutput): boolean {
  if (!output || "async" in output) return false;
  const { decision, hookSpecificOutput: more } = output;
  return decision === "block" || (more?.hookEventName === "PreToolUse" && more.permissionDecision === "deny");
}

function sendsOn(output: HookJSONOutput): output is SyncHookJSONOutput {
  if ("async" in output || output.continue === false) return false;
  const { decision, hookSpecificOutput: more } = output;
  return decision === "block" || (more?.hookEventName === "Stop" && more.additionalContext !== undefined);
}
