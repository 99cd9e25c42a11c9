import { type AgentKind, fakeKey, json } from "./agent-kind.ts";

/** Qwen Code. */
export const qwenCode: AgentKind = {
  name: "qwen-code",
  command: ["qwen"],
  config: () => [
    [
      ".qwen/settings.json",
      json({
        $version: 4,
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    ],
  ],
  environment: (_folders, { providerAddress }) => ({
    OPENAI_BASE_URL: `${providerAddress}/v1`,
    OPENAI_API_KEY: fakeKey,
    OPENAI_MODEL: "scripted-model",
    QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
  }),
  headless: (prompt, args) => ["--auth-type", "openai", "--yolo", ...args, "--prompt", prompt],
  interactive: { args: ["--auth-type", "openai", "--yolo"], ready: /Type your message/ },
  writes: /^\.qwen\/(?!settings\.json)|^\.(cache|local)\//,
};
