import type { PreparedAgent } from "@turn-limit/rig";
import type { Competitor } from "./agent-contender.ts";
import {
  changeSettings,
  dollarsArgument,
  noLimit,
  ourDollars,
  ourRequests,
  ourTurns,
  piTurnLimit,
  turnsArgument,
  turnsSetting,
} from "./limiters.ts";

const ANTHROPIC_MODEL = "claude-sonnet-4-5";
const OPENAI_MODEL = "gpt-5.4";
const OPENCODE_SETTINGS = ".config/opencode/opencode.json";

/** The coding agents. */
export const competitors: readonly Competitor[] = [
  {
    agent: "claude-code",
    name: "Claude Code",
    package: "@anthropic-ai/claude-code",
    hasSubAgents: true,
    withPrice: () => ({ args: ["--model", ANTHROPIC_MODEL] }),
    limiters: [turnsArgument("--max-turns"), dollarsArgument("--max-budget-usd"), ourTurns, ourDollars],
  },
  {
    agent: "codex",
    name: "Codex",
    package: "@openai/codex",
    hasSubAgents: true,
    withPrice: () => ({ args: ["--model", OPENAI_MODEL] }),
    limiters: [noLimit, ourTurns, ourDollars],
  },
  {
    agent: "opencode",
    name: "opencode",
    package: "opencode-ai",
    hasSubAgents: true,
    withPrice: async (agent) => {
      await renameModel(agent, OPENCODE_SETTINGS);
      await renameModel(agent, ".config/models.json");
      return {};
    },
    limiters: [
      turnsSetting("agent.build.steps: n", OPENCODE_SETTINGS, (steps) => ({ agent: { build: { steps } } })),
      ourTurns,
      ourDollars,
    ],
  },
  {
    agent: "gemini-cli",
    name: "Gemini CLI",
    package: "@google/gemini-cli",
    hasSubAgents: true,
    // Its model has one.
    withPrice: () => ({}),
    limiters: [
      turnsSetting("model.maxSessionTurns: n", ".gemini/settings.json", (turns) => ({
        model: { maxSessionTurns: turns },
      })),
      ourRequests,
      ourDollars,
    ],
  },
  {
    agent: "qwen-code",
    name: "Qwen Code",
    package: "@qwen-code/qwen-code",
    hasSubAgents: true,
    withPrice: () => ({ env: { OPENAI_MODEL } }),
    limiters: [turnsArgument("--max-session-turns"), ourRequests, ourDollars],
  },
  {
    agent: "pi",
    name: "Pi",
    package: "pi-1.5",
    hasSubAgents: false,
    withPrice: async (agent) => {
      await renameModel(agent, ".pi/agent/models.json", {
        cost: { input: 2.5, output: 15, cacheRead: 0.25, cacheWrite: 0 },
      });
      return { args: ["--model", OPENAI_MODEL] };
    },
    limiters: [noLimit, ourRequests, ourDollars, piTurnLimit],
  },
];

/** Gives the scripted model the name of one that has a price. `fields`: what else the agent wants to know of it. */
async function renameModel(agent: PreparedAgent, path: string, fields: object = {}): Promise<void> {
  await changeSettings(agent, path, (settings) => {
    const renamed = JSON.stringify(settings).replaceAll("scripted-model", OPENAI_MODEL);
    return JSON.parse(renamed, (_key, value) =>
      value?.id === OPENAI_MODEL ? { ...value, ...fields } : value,
    );
  });
}
