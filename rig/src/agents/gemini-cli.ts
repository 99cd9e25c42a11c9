import { type AgentKind, fakeKey, json } from "./agent-kind.ts";

/** Gemini CLI. */
export const geminiCli: AgentKind = {
  name: "gemini-cli",
  command: ["gemini"],
  config: () => [
    [
      ".gemini/settings.json",
      json({
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        // Without it, the address in the environment makes it choose a way to log in that it then refuses.
        security: { auth: { selectedType: "gemini-api-key" } },
      }),
    ],
  ],
  environment: (_folders, { providerAddress }) => ({
    GOOGLE_GEMINI_BASE_URL: providerAddress,
    GEMINI_API_KEY: fakeKey,
    // Otherwise it starts itself a second time, with more memory.
    GEMINI_CLI_NO_RELAUNCH: "true",
  }),
  headless: (prompt, args) => [
    "--yolo",
    "--skip-trust",
    "--model",
    "gemini-2.5-pro",
    ...args,
    "--prompt",
    prompt,
  ],
  interactive: {
    args: ["--yolo", "--skip-trust", "--model", "gemini-2.5-pro"],
    ready: /Type your message/,
  },
  writes: /^\.gemini\/(?!settings\.json)|^\.(cache|local)\//,
};
