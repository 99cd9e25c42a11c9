import { fileURLToPath } from "node:url";
import { type AgentKind, fakeKey, json } from "./agent-kind.ts";

function cliOf(name: string): string {
  return fileURLToPath(new URL(`../../../node_modules/${name}/dist/bundle/cli.js`, import.meta.url));
}

/** Pi, as it comes with the root's own install. */
export const pi: AgentKind = {
  name: "pi",
  command: ["pi"],
  program: cliOf("pi-1.5"),
  otherProgram: cliOf("@earendil-works/pi-coding-agent"),
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
    [
      ".pi/agent/settings.json",
      json({
        quietStartup: true,
        enableInstallTelemetry: false,
        // Else it notes this when its screen is first shown.
        lastChangelogVersion: "1.5.0",
      }),
    ],
  ],
  environment: () => ({ PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" }),
  headless: (prompt, args) => ["--provider", "scripted", "--model", "scripted-model", ...args, "-p", prompt],
  interactive: { args: ["--provider", "scripted", "--model", "scripted-model"], ready: /scripted-model/ },
  writes: /^\.pi\/agent\/(?!models\.json|settings\.json)|^\.(cache|local)\//,
};
