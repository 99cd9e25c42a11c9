import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { mayUseStderr } from "../agents/session-place.ts";

/** Tells the person something, on stderr where there is no UI. What a session inside another one has to say is not shown. */
export function say(
  ctx: ExtensionContext,
  message: string,
  type: "info" | "warning" | "error" = "info",
): void {
  const text = inert(message);
  if (ctx.hasUI) ctx.ui.notify(text, type);
  else if (mayUseStderr(ctx)) console.error(text);
}

// On the process, not in the module: Pi loads the module again for each session.
const REPORTED = Symbol.for("pi-turn-limit.reported");
const shared = globalThis as { [REPORTED]?: Set<string> };

/** Tells the person what is wrong with the configuration: each problem once, until it is forgotten. */
export function reportProblems(ctx: ExtensionContext, problems: readonly string[]): void {
  shared[REPORTED] ??= new Set();
  for (const problem of problems) {
    if (shared[REPORTED].has(problem)) continue;
    shared[REPORTED].add(problem);
    say(ctx, problem, "warning");
  }
}

/** The configuration is read again: what is still wrong is told again. */
export function forgetReported(): void {
  delete shared[REPORTED];
}

/** What others wrote, such as the name of a run, makes a terminal do nothing. Colours, which are ours, stay. */
function inert(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replace(/\x1b(?!\[[\d;]*m)|(?![\n\x1b])\p{Cc}/gu, " ");
}
