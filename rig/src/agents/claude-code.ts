import { type AgentKind, fakeKey, json } from "./agent-kind.ts";

const free = "--dangerously-skip-permissions";

/** Claude Code. */
export const claudeCode: AgentKind = {
  name: "claude-code",
  command: ["claude"],
  config: ({ project }) => [
    [
      ".claude/settings.json",
      json({
        skipDangerousModePermissionPrompt: true,
        theme: "dark",
        // Else, after the first prompt, it makes itself the program for its own links, in ~/.config, while it goes on.
        disableDeepLinkRegistration: "disable",
      }),
    ],
    // What a person has answered at the first start: the theme, the key, whether the folder is trusted.
    [
      ".claude.json",
      json({
        hasCompletedOnboarding: true,
        bypassPermissionsModeAccepted: true,
        customApiKeyResponses: { approved: [fakeKey.slice(-20)], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true } },
      }),
    ],
  ],
  environment: (_folders, { providerAddress }) => ({
    ANTHROPIC_BASE_URL: providerAddress,
    ANTHROPIC_API_KEY: fakeKey,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    // Without it, root may not skip the permissions.
    IS_SANDBOX: "1",
  }),
  headless: (prompt, args) => ["-p", free, ...args, prompt],
  interactive: { args: [free], ready: /bypass permissions on/ },
  writes: /^\.claude\.json|^\.claude\/(?!settings\.json)|^\.(cache|local)\//,
};
