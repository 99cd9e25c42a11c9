import { type AgentKind, fakeKey } from "./agent-kind.ts";

const free = "--dangerously-bypass-approvals-and-sandbox";

/** Codex. */
export const codex: AgentKind = {
  name: "codex",
  command: ["codex"],
  // The part about the terminal is what Codex would add by itself.
  config: ({ project }, { providerAddress, contextWindow }) => [
    [
      ".codex/config.toml",
      `model_provider = "scripted"
check_for_update_on_startup = false
disable_paste_burst = true
${contextWindow === undefined ? "" : `model_context_window = ${contextWindow}\n`}
[model_providers.scripted]
name = "scripted"
base_url = "${providerAddress}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"

[analytics]
enabled = false

[projects."${project}"]
trust_level = "trusted"

[tui]
screen_reader_detection_done = true

[tui.model_availability_nux]
"gpt-6.1-sol" = 4
`,
    ],
  ],
  environment: () => ({ OPENAI_API_KEY: fakeKey }),
  headless: (prompt, args) => ["exec", "--skip-git-repo-check", free, ...args, prompt],
  // Without --no-daemon, a program that outlives the terminal keeps what it was started with.
  interactive: { args: ["--no-daemon", free], ready: /permissions: YOLO mode/ },
  writes: /^\.codex\/(?!config\.toml)|^\.(cache|local)\//,
};
