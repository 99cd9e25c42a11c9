import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PreparedAgent } from "@turn-limit/rig";
import type { Competitor } from "./agent-contender.ts";
import {
  asItComes,
  asItComesWithPlan,
  changeSettings,
  dollarsArgument,
  noLimit,
  ourDollars,
  ourPlan,
  ourRepeats,
  ourTurns,
  piTurnLimit,
  turnsArgument,
  turnsSetting,
} from "./limiters.ts";

const ANTHROPIC_MODEL = "claude-sonnet-4-5";
const OPENAI_MODEL = "gpt-5.4";
const OPENCODE_SETTINGS = ".config/opencode/opencode.json";

/** The form in which an answer is wanted. */
const FORM = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
};

const inAnHour = () => `${Math.round(Date.now() / 1_000) + 3_600}`;

/** The coding agents. */
export const competitors: readonly Competitor[] = [
  {
    agent: "claude-code",
    name: "Claude Code",
    package: "@anthropic-ai/claude-code",
    hasSubAgents: true,
    withPrice: () => ({ args: ["--model", ANTHROPIC_MODEL] }),
    withForm: () => ({ args: ["--json-schema", JSON.stringify(FORM), "--output-format", "json"] }),
    planHeaders: (percent) => ({
      "anthropic-ratelimit-unified-status": "allowed",
      "anthropic-ratelimit-unified-5h-status": "allowed",
      "anthropic-ratelimit-unified-5h-utilization": `${percent / 100}`,
      "anthropic-ratelimit-unified-5h-reset": inAnHour(),
    }),
    limiters: [
      turnsArgument("--max-turns"),
      dollarsArgument("--max-budget-usd"),
      asItComesWithPlan,
      ourTurns,
      ourDollars,
      ourRepeats,
      ourPlan,
    ],
  },
  {
    agent: "codex",
    name: "Codex",
    package: "@openai/codex",
    hasSubAgents: true,
    withPrice: () => ({ args: ["--model", OPENAI_MODEL] }),
    withForm: async ({ root }) => {
      const file = join(root, "form.json");
      await writeFile(file, JSON.stringify(FORM));
      return { args: ["--output-schema", file] };
    },
    planHeaders: (percent) => ({
      "x-codex-primary-used-percent": `${percent}`,
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": inAnHour(),
    }),
    limiters: [
      { ...noLimit, limits: ["turns", "loops", "windows"] },
      ourTurns,
      ourDollars,
      ourRepeats,
      ourPlan,
    ],
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
      asItComes,
      ourTurns,
      ourDollars,
      ourRepeats,
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
      asItComes,
      ourTurns,
      ourDollars,
      ourRepeats,
    ],
  },
  {
    agent: "qwen-code",
    name: "Qwen Code",
    package: "@qwen-code/qwen-code",
    hasSubAgents: true,
    withPrice: () => ({ env: { OPENAI_MODEL } }),
    withForm: () => ({ args: ["--json-schema", JSON.stringify(FORM)] }),
    formTool: "structured_output",
    limiters: [turnsArgument("--max-session-turns"), asItComes, ourTurns, ourDollars, ourRepeats],
  },
  {
    agent: "pi",
    name: "Pi",
    package: "pi-1.5",
    hasSubAgents: false,
    yes: "y",
    withPrice: async (agent) => {
      await renameModel(agent, ".pi/agent/models.json", {
        cost: { input: 2.5, output: 15, cacheRead: 0.25, cacheWrite: 0 },
      });
      return { args: ["--model", OPENAI_MODEL] };
    },
    limiters: [noLimit, ourTurns, ourDollars, ourRepeats, piTurnLimit],
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
