import { type AgentName, byKind, worksForever } from "@turn-limit/rig";
import { test } from "vitest";
import { underRun } from "./under-run.ts";

const otherVersion = true;
const endless = () => byKind({ main: worksForever() });

test.concurrent.for([
  ["claude-code", "Claude Code", {}],
  ["codex", "Codex", {}],
  ["opencode", "opencode", { title: 1 }],
] as const)(
  "another version of %s is held to turns, and a person is asked",
  async ([name, called, asides], { expect }) => {
    const seen = await underRun(name, ["--max-turns", "2", "--ask", "echo no"], endless(), { otherVersion });

    expect(seen.got).toEqual({ main: 2, ...asides });
    expect(seen.stdout).toContain("Turn limit reached (2/2). A person stopped the run here.");
    expect(seen.summary).toContain(`turn-limit: stopped by a person at 2/2 turns (${called}) · `);
    expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
  },
);

test.concurrent.for<AgentName>(["gemini-cli", "qwen-code"])(
  "another version of %s is held to requests",
  async (name, { expect }) => {
    const seen = await underRun(name, ["--max-requests", "2"], endless(), { otherVersion });

    expect(seen.provider.requests).toHaveLength(2);
    expect(seen.summary).toContain("turn-limit: stopped at 2/2 requests · 2 requests");
    expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
  },
);
