import { type AgentName, byKind, calls, type ProviderScript, says, shellCall } from "@turn-limit/rig";
import { describe, test } from "vitest";
import { underRun } from "./under-run.ts";

const AGENTS: { name: AgentName; profile: string }[] = [
  { name: "claude-code", profile: "Claude Code" },
  { name: "codex", profile: "Codex" },
  { name: "opencode", profile: "opencode" },
];

/** Writes this to a file, turn by turn, and never finishes. */
function writing(contents: (turn: number) => string): ProviderScript {
  let turn = 0;
  return byKind({
    main: (request) => {
      turn += 1;
      return calls(shellCall(request, `echo ${contents(turn)} > work.txt`));
    },
    title: () => says("A title"),
  });
}

describe.each(AGENTS)("$name", ({ name, profile }) => {
  test.concurrent("that changes files goes on for another round, so often and no more", async ({
    expect,
  }) => {
    const limits = ["--max-turns", "2 extend 2", "--at-limit", "stop"];
    const seen = await underRun(name, limits, writing(String));
    expect(seen.got.main).toBe(6);
    expect(seen.stderr).toContain("turn-limit: Turn limit extended 1×: 1 file changed.\n");
    expect(seen.stderr).toContain("turn-limit: Turn limit extended 2×: 1 file changed.\n");
    expect(seen.summary).toContain(
      `stopped at 2/2 turns (${profile}) · turns extended 2×: 1 file changed · 6 turns`,
    );
    expect(seen.stdout).toContain(
      "Turn limit reached (2/2 · extended 2×: 1 file changed). The run was stopped here.",
    );
    expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
  });

  test.concurrent("that changes a file back and forth is stopped at the first boundary", async ({
    expect,
  }) => {
    const limits = ["--max-turns", "4 extend 3", "--at-limit", "stop", "--json"];
    const seen = await underRun(
      name,
      limits,
      writing((turn) => (turn % 2 ? "one" : "other")),
    );
    expect(seen.got.main).toBe(4);
    expect(JSON.parse(seen.summary)).toMatchObject({ turns: 4, limit: "turns", extensions: [] });
    expect(seen.code).toBe(86);
  });

  test.concurrent("is extended by what a command says, as long as its number rises", async ({ expect }) => {
    const limits = ["--max-turns", "1 extend 9", "--at-limit", "stop", "--json"];
    const progress = ["--progress", "cat work.txt 2>/dev/null || echo 0"];
    const seen = await underRun(
      name,
      [...limits, ...progress],
      writing((turn) => `${Math.min(turn, 3)}`),
    );
    expect(seen.got.main).toBe(4);
    expect(JSON.parse(seen.summary)).toMatchObject({
      extensions: [{ limit: "turns", times: 3, what: "3, up from 2" }],
    });
  });
});
