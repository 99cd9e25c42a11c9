import { lastUserText, type ProviderRequest, textOfRole } from "../provider/provider-request.ts";

/**
 * What an agent wants of the provider: `main` for its main loop, `sub-agent` for the loop of one that it started,
 * `title` and `compaction` for what it needs beside them, `aside` for everything else.
 */
export type RequestKind = "main" | "sub-agent" | "title" | "compaction" | "aside";

/** Tells what a request is for, by the marks that each agent leaves on it. */
export function kindOf(request: ProviderRequest): RequestKind {
  const metadata = request.headers["x-codex-turn-metadata"];
  if (typeof metadata === "string") return kindOfCodex(JSON.parse(metadata));
  const system = textOfRole(request, "system");
  if (/title generator/i.test(system)) return "title";
  if (/context summarization/i.test(system) || /Respond with TEXT ONLY/.test(lastUserText(request)))
    return "compaction";
  if (isOfSubAgent(request, system)) return "sub-agent";
  if (lastUserText(request).startsWith("[SUGGESTION MODE")) return "aside";
  if (request.toolNames.length === 0) return isForTitle(request) ? "title" : "aside";
  return /memory extraction/.test(system) ? "aside" : "main";
}

function kindOfCodex(metadata: { request_kind?: string; thread_source?: string }): RequestKind {
  if (metadata.request_kind === "compaction") return "compaction";
  if (metadata.request_kind !== "turn") return "aside";
  if (metadata.thread_source === "thread_title") return "title";
  return metadata.thread_source === "subagent" ? "sub-agent" : "main";
}

function isOfSubAgent({ headers, toolNames }: ProviderRequest, system: string): boolean {
  const marked = headers["x-claude-code-agent-id"] ?? headers["x-parent-session-id"];
  // What Pi says under `turn-limit run`. Gemini CLI and Qwen Code leave no mark: only a sub-agent has this tool, or is told this.
  return (
    marked !== undefined ||
    String(headers["x-turn-limit-pi"]).startsWith("sub-agent ") ||
    toolNames.includes("complete_task") ||
    /subagent working for a parent/.test(system)
  );
}

function isForTitle(request: ProviderRequest): boolean {
  return request.protocol === "messages" && request.body.output_config !== undefined;
}
