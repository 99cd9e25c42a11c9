import { setImmediate } from "node:timers/promises";
import type {
  HookCallbackMatcher,
  HookInput,
  HookJSONOutput,
  Options,
  SyncHookJSONOutput,
} from "@anthropic-ai/claude-agent-sdk";
import type { Run } from "../../run/run.ts";

type Hooks = NonNullable<Options["hooks"]>;
type GovernedEvent =
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PostToolBatch"
  | "SubagentStart"
  | "SubagentStop"
  | "Stop";

/** What the program is answered at each of its events. */
export type HookAnswers = {
  [E in GovernedEvent]: (input: Extract<HookInput, { hook_event_name: E }>) => Promise<HookJSONOutput>;
};

/** In seconds: the longest that a timer can be set to, because a person takes time to answer. */
const NO_TIMEOUT = 2_147_483;

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

/** What answers the program's events. */
export interface Hooked {
  readonly answers: HookAnswers;
  /** Does nobody read the query any more? Then the hooks only end what the program does. */
  readonly isClosed: boolean;
  /** A `Stop` hook of the caller's sends the agent on: what the program is answered instead. */
  sentOn(output: SyncHookJSONOutput): Promise<HookJSONOutput>;
  fail(error: unknown): void;
}

/** Our hooks, before the caller's own. */
export function governedHooks(own: Hooks = {}, loop: Hooked): Hooks {
  const { answers } = loop;
  const hooks: Hooks = { ...own, ...(own.Stop && { Stop: governedStops(own.Stop, loop) }) };
  for (const event of Object.keys(answers) as GovernedEvent[]) {
    const hook = async (input: HookInput): Promise<HookJSONOutput> => {
      // By then all messages before the event have been seen. Calls are asked about in the model's order, and at once.
      if (event !== "PreToolUse") await setImmediate();
      if (loop.isClosed)
        return { continue: false, ...(event === "PreToolUse" && denial("The query is over.")) };
      try {
        return await answers[event](input as never);
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

// The caller's `Stop` hooks. When one of them sends the agent on, the loop decides.
function governedStops(own: HookCallbackMatcher[], loop: Hooked): HookCallbackMatcher[] {
  return own.map((matcher) => ({
    timeout: NO_TIMEOUT,
    ...matcher,
    hooks: matcher.hooks.map((hook) => async (...given) => {
      const output = await hook(...given);
      return sendsOn(output) ? await loop.sentOn(output) : output;
    }),
  }));
}

function sendsOn(output: HookJSONOutput): output is SyncHookJSONOutput {
  if ("async" in output || output.continue === false) return false;
  const { decision, hookSpecificOutput: more } = output;
  return decision === "block" || (more?.hookEventName === "Stop" && more.additionalContext !== undefined);
}

/** The options that are dialogs with a person. */
export type Dialogs = Pick<Options, "canUseTool" | "onElicitation" | "onUserDialog">;

/** The caller's dialogs with a person. The time that they take does not count. */
export function governedDialogs({ canUseTool, onElicitation, onUserDialog }: Dialogs, run: Run): Dialogs {
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
    ...(canUseTool && { canUseTool: governed(canUseTool) }),
    ...(onElicitation && { onElicitation: governed(onElicitation) }),
    ...(onUserDialog && { onUserDialog: governed(onUserDialog) }),
  };
}

const TELLS_STATE = "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS";

/** The caller's environment, in which the program says when it is idle: not before its sub-agents are done. */
export function environment({ env = process.env }: Options): NonNullable<Options["env"]> {
  return { ...env, [TELLS_STATE]: "1" };
}

/** Does the caller want to be told when the program is idle? */
export function wantsState({ env = process.env }: Options): boolean {
  return Boolean(env[TELLS_STATE]);
}

/** The caller's options for the tools-free turn, which resumes the session. */
export function withoutTools(options: Options, sessionId: string): Options {
  const { continue: _, forkSession, sessionId: __, resumeSessionAt, resumeDropsTurn, ...rest } = options;
  return { ...rest, resume: sessionId, tools: [], mcpServers: {}, strictMcpConfig: true, plugins: [] };
}
