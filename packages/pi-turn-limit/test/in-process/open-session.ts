import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AssistantMessage,
  type FauxResponseStep,
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
} from "@earendil-works/pi-ai";
import {
  createAgentSession,
  DefaultResourceLoader,
  type ExtensionUIContext,
  type InlineExtension,
  ModelRuntime,
  SessionManager,
  SettingsManager,
  type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import turnLimit from "../../src/turn-limit.ts";

/** What a person would see and answer, in a session without a terminal. */
export interface Person {
  /** Answers each question; the default is no. */
  confirm?: (title: string, message: string) => boolean | Promise<boolean>;
}

/** A real Pi session in this process, with the faux provider and the extension. */
export async function openSession(
  options: {
    person?: Person;
    extensions?: InlineExtension[];
    settings?: object;
    config?: object;
    contextWindow?: number;
  } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "pi-turn-limit-"));
  const agentDirBefore = process.env.PI_CODING_AGENT_DIR;
  process.env.PI_CODING_AGENT_DIR = folder;
  if (options.config) await writeFile(join(folder, "turn-limit.json"), JSON.stringify(options.config));
  const faux = fauxProvider({ models: [{ id: "faux", contextWindow: options.contextWindow ?? 1_000_000 }] });
  const executed: string[] = [];
  const notes: string[] = [];
  const widgets: (string | undefined)[] = [];

  const modelRuntime = await ModelRuntime.create({ authPath: join(folder, "auth.json"), modelsPath: null });
  modelRuntime.registerNativeProvider(faux.provider);
  const settingsManager = SettingsManager.inMemory({
    retry: { enabled: true, maxRetries: 3, baseDelayMs: 1 },
    ...options.settings,
  });
  const resourceLoader = new DefaultResourceLoader({
    cwd: folder,
    agentDir: folder,
    settingsManager,
    noExtensions: true,
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
    extensionFactories: [turnLimit, ...(options.extensions ?? [])],
  });
  await resourceLoader.reload();
  const { session } = await createAgentSession({
    cwd: folder,
    agentDir: folder,
    modelRuntime,
    model: faux.getModel(),
    noTools: "builtin",
    customTools: [workTool(executed)],
    resourceLoader,
    settingsManager,
    sessionManager: SessionManager.inMemory(),
  });
  const errors: string[] = [];
  await session.bindExtensions({
    ...(options.person && {
      mode: "rpc" as const,
      uiContext: {
        confirm: async (title: string, message: string) => {
          notes.push(`${title}: ${message}`);
          return (await options.person?.confirm?.(title, message)) ?? false;
        },
        notify: (message: string) => void notes.push(message),
        setWidget: (_key: string, lines: string[] | undefined) => void widgets.push(lines?.[0]),
      } as Partial<ExtensionUIContext> as ExtensionUIContext,
    }),
    onError: ({ error }) => void errors.push(error),
  });

  return {
    session,
    executed,
    notes,
    widgets,
    errors,
    /** Provider requests so far. */
    requests: () => faux.state.callCount,
    answersWith: (...steps: FauxResponseStep[]) => faux.setResponses(steps),
    outcomes: () =>
      session.sessionManager
        .getEntries()
        .flatMap((entry) =>
          entry.type === "custom" && entry.customType === "turn-limit:outcome" ? [entry.data] : [],
        ),
    async [Symbol.asyncDispose]() {
      session.dispose();
      if (agentDirBefore === undefined) delete process.env.PI_CODING_AGENT_DIR;
      else process.env.PI_CODING_AGENT_DIR = agentDirBefore;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An answer with `width` tool calls. */
export function works(width = 1): AssistantMessage {
  const calls = Array.from({ length: width }, () => fauxToolCall("work", {}));
  return fauxAssistantMessage(calls, { stopReason: "toolUse" });
}

/** `count` answers that each call the tool once. */
export function keepsWorking(count: number): FauxResponseStep[] {
  return Array.from({ length: count }, () => () => works());
}

function workTool(executed: string[]): ToolDefinition {
  return {
    name: "work",
    label: "Work",
    description: "Does a bit of work",
    parameters: { type: "object", properties: {} } as ToolDefinition["parameters"],
    execute: async (id) => {
      executed.push(id);
      return { content: [{ type: "text", text: "done" }], details: {} };
    },
  };
}
