import { join } from "node:path";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai";
import {
  createAgentSession,
  DefaultResourceLoader,
  type ExtensionFactory,
  ModelRuntime,
  SessionManager,
  SettingsManager,
  type ToolDefinition,
} from "@earendil-works/pi-coding-agent";

/** A Pi session in this process whose model takes `turns` turns, and waits before each answer as it is told to. */
export async function openFauxSession(
  folder: string,
  turns: number,
  extensions: ExtensionFactory[],
  beforeAnswer: () => Promise<void> = async () => {},
) {
  const faux = fauxProvider({ models: [{ id: "faux", contextWindow: 100_000_000 }] });
  const modelRuntime = await ModelRuntime.create({ authPath: join(folder, "auth.json"), modelsPath: null });
  modelRuntime.registerNativeProvider(faux.provider);
  const settingsManager = SettingsManager.inMemory({ compaction: { enabled: false } });
  const resourceLoader = new DefaultResourceLoader({
    cwd: folder,
    agentDir: folder,
    settingsManager,
    noExtensions: true,
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
    extensionFactories: extensions,
  });
  await resourceLoader.reload();
  const { session } = await createAgentSession({
    cwd: folder,
    agentDir: folder,
    modelRuntime,
    model: faux.getModel(),
    noTools: "builtin",
    customTools: [nothing],
    resourceLoader,
    settingsManager,
    sessionManager: SessionManager.inMemory(),
  });
  await session.bindExtensions({});
  const answer = async () => {
    await beforeAnswer();
    return faux.state.callCount < turns
      ? fauxAssistantMessage(fauxToolCall("nothing", {}), { stopReason: "toolUse" })
      : fauxAssistantMessage("Done.");
  };
  faux.setResponses(Array.from({ length: turns }, () => answer));
  return { session, requests: () => faux.state.callCount };
}

const nothing: ToolDefinition = {
  name: "nothing",
  label: "Nothing",
  description: "Does nothing",
  parameters: { type: "object", properties: {} } as ToolDefinition["parameters"],
  execute: async () => ({ content: [{ type: "text", text: "done" }], details: {} }),
};
