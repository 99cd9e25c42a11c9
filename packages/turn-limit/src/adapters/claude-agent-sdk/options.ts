import type {
  HookCallbackMatcher,
  HookInput,
  HookJSONOutput,
  Options,
  SyncHookJSONOutput,
} from "@anthropic-ai/claude-agent-sdk";
import type { Driver } from "../../pools/old-driver/driver.ts";

type Hooks = NonNullable<Options["hooks"]>;
type GovernedEvent =
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PostToolBatch"
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

/** Our hooks, before the caller's own. When nobody reads the query any more, they only end what the program does. */
export function governedHooks(
  own: Hooks = {},
  answers: HookAnswers,
  onFailure: (error: unknown) => void,
  isClosed: () => boolean,
): Hooks {
  const hooks: Hooks = { ...own };
  for (const event of Object.keys(answers) as GovernedEvent[]) {
    const hook = async (input: HookInput): Promise<HookJSONOutput> => {
      if (isClosed()) return { continue: false, ...(event === "PreToolUse" && denial("The query is over.")) };
      try {
        return await answers[event](input as never);
      } catch (error) {
        // Must not throw: the program would go on without an answer.
        onFailure(error);
        return { continue: false };
      }
    };
    hooks[event] = [{ hooks: [hook], timeout: NO_TIMEOUT }, ...(own[event] ?? [])];
  }
  return hooks;
}

/** The caller's `Stop` hooks. When one of them sends the agent on, `sentOn` decides. */
export function governedStops(
  own: HookCallbackMatcher[],
  sentOn: (output: SyncHookJSONOutput) => Promise<HookJSONOutput>,
): HookCallbackMatcher[] {
  return own.map((matcher) => ({
    timeout: NO_TIMEOUT,
    ...matcher,
    hooks: matcher.hooks.map((hook) => async (...given) => {
      const output = await hook(...given);
      return sendsOn(output) ? await sentOn(output) : output;
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
export function governedDialogs(
  { canUseTool, onElicitation, onUserDialog }: Dialogs,
  driver: Driver,
): Dialogs {
  let open = 0;

  function governed<Given extends unknown[], Answer>(dialog: (...given: Given) => Promise<Answer>) {
    return async (...given: Given): Promise<Answer> => {
      open += 1;
      driver.waiting(true);
      try {
        return await dialog(...given);
      } finally {
        open -= 1;
        if (open === 0) driver.waiting(false);
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
