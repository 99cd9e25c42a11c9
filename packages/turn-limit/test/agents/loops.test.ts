import { type AgentName, byKind, calls, type ProviderScript, says, shellCall } from "@turn-limit/rig";
import { describe, test } from "vitest";
import { underRun } from "./under-run.ts";

const AGENTS: { name: AgentName; profile: string }[] = [
  { name: "claude-code", profile: "Claude Code" },
  { name: "codex", profile: "Codex" },
  { name: "opencode", profile: "opencode" },
  { name: "gemini-cli", profile: "Gemini CLI" },
  { name: "qwen-code", profile: "Qwen Code" },
  { name: "pi", profile: "Pi" },
];
const TOLD = "The last call was made 3 times in a row with the same result. It will not change.";

/** Waits longer before each look, and the log never changes. */
const polls = (): ProviderScript =>
  byKind({
    main: (request) => calls(shellCall(request, `sleep 0.${request.index % 10}; echo compiling`)),
    title: () => says("A title"),
  });

describe.each(AGENTS)("$name", ({ name, profile }) => {
  test.concurrent("is told of its loop with the third same result, and stopped with the fourth", async ({
    expect,
  }) => {
    const seen = await underRun(
      name,
      ["--max-turns", "9", "--max-repeats", "3", "--at-limit", "stop"],
      polls(),
    );
    const main = seen.provider.requests.filter((request) =>
      JSON.stringify(request.body).includes("compiling"),
    );
    expect(seen.got.main).toBe(4);
    expect(main.map(({ body }) => JSON.stringify(body).includes(TOLD))).toEqual([false, false, true]);
    expect(seen.summary).toContain(`stopped at 4/3 repeats (${profile})`);
    expect(seen.stdout).toContain("Repeat limit reached (4/3). The run was stopped here.");
    expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
  });
});
