import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { surroundings as ourOwn } from "./given/our-own.ts";
import type { Surroundings } from "./given/script.ts";
import { type Example, examplesIn } from "./pages.ts";
import { importsOf, runExample, saidToPrint } from "./run-example.ts";

/** What examples of a framework are run with. Loaded only for these: frameworks take their time. */
const frameworks: Record<string, () => Promise<{ surroundings(): Promise<Surroundings> }>> = {
  "turn-limit/ai-sdk": () => import("./given/ai-sdk.ts"),
  "turn-limit/claude-agent-sdk": () => import("./given/claude-agent-sdk.ts"),
  "turn-limit/langchain": () => import("./given/langchain.ts"),
  "turn-limit/mastra": () => import("./given/mastra.ts"),
  "turn-limit/openai-agents": () => import("./given/openai-agents.ts"),
  "turn-limit/pi-agent-core": () => import("./given/pi-agent-core.ts"),
};

// Whole files of examples/adapting-a-host, which has a test of its own that compares and runs them.
const guide = join(import.meta.dirname, "..", "..", "..", "..", "examples", "adapting-a-host");
const files = readdirSync(guide).map((name) => readFileSync(join(guide, name), "utf8"));
const isFileOfTheGuide = ({ code }: Example) => files.includes(code);

const examples = examplesIn("ts", "js").filter((example) => !isFileOfTheGuide(example));
const usesRig = (example: Example) => importsOf(example).includes("@turn-limit/rig");
const usesAgents = ({ code }: Example) => code.includes("prepareAgent(");
const frameworkOf = (example: Example) => importsOf(example).find((name) => name in frameworks);

export const withPi = examples.filter((example) => usesRig(example) && !usesAgents(example));
export const withAgents = examples.filter((example) => usesRig(example) && usesAgents(example));
export const withFramework = examples.filter((example) => frameworkOf(example) !== undefined);
export const withoutFramework = examples.filter(
  (example) => frameworkOf(example) === undefined && !usesRig(example),
);

/** Runs an example, and compares what it prints with what it says. */
export async function expectToPrintWhatItSays(example: Example): Promise<void> {
  const framework = frameworkOf(example);
  const own = await ourOwn();
  const given = framework === undefined ? undefined : await (await frameworks[framework]?.())?.surroundings();
  try {
    const modules = { ...own.modules, ...given?.modules };
    const variables = { ...own.variables, ...given?.variables };
    const printed = await runExample(example, { ...own, variables, modules });
    expect(printed).toEqual(saidToPrint(example));
  } finally {
    await given?.close?.();
    await own.close?.();
  }
}
