import type {
  HookCallbackMatcher,
  HookInput,
  HookJSONOutput,
  Options,
  SyncHookJSONOutput,
} from "@anthropic-ai/claude-agent-sdk";

type Hooks = NonNullable<Options["hooks"]>;
type GovernedEvent = "UserPromptSubmit" | "PreToolUse" | "PostToolBatch" | "Stop";

/** What is answered to the program at each of its events. */
export type HookAnswers = {
  [E in GovernedEvent]: (input: Extract<HookInput, { hook_event_name: E }>) => Promise<HookJSONOutput>;
};

/** In seconds: the longest that a timer can be set to, for a person takes time to answer. */
const NO_TIMEOUT = 2_147_483;

/** The hooks with which the program asks, beside the caller's own. */
export function hooksOf(own: Hooks = {}, answers: HookAnswers, onFailure: (error: unknown) => void): Hooks {
  const hooks: Hooks = { ...own };
  for (const event of Object.keys(answers) as GovernedEvent[]) {
    const hook = async (input: HookInput): Promise<HookJSONOutput> => {
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

/** The caller's `Stop` hooks: when one sends the agent on, `sentOn` has the last word. */
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
