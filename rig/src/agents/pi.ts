import { fileURLToPath } from "node:url";
import { type AgentKind, fakeKey, json } from "./agent-kind.ts";

const cli = fileURLToPath(new URL("../../../node_modules/pi-1.5/dist/bundle/cli.js", import.meta.url));

/** Pi, as it comes with the root's own install. */
export const pi: AgentKind = {
  name: "pi",
  command: ["pi"],
  program: cli,
  config: (_folders, { providerAddress, contextWindow = 200_000 }) => [
    [
      ".pi/agent/models.json",
      json({
        providers: {
          scripted: {
            baseUrl: `${providerAddress}/v1`,
            api: "openai-completions",
            apiKey: fakeKey,
            models: [{ id: "scripted-model", contextWindow, maxTokens: 8_192 }],
          },
        },
      }),
    ],
    [".pi/agent/settings.json", json({ quietStartup: true, enableInstallTelemetry: false })],
  ],
  environment: () => ({ PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" }),
  headless: (prompt, args) => ["--provider", "scripted", "--model", "scripted-model", ...args, "-p", prompt],
  writes: /^\.pi\/agent\/(?!models\.json|settings\.json)|^\.(cache|local)\//,
};
