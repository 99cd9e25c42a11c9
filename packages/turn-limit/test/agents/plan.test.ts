import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentName,
  byKind,
  prepareAgent,
  runAgent,
  startScriptedProvider,
  worksForever,
} from "@turn-limit/rig";
import { test } from "vitest";
import { countsOf, underLimits } from "./under-run.ts";

type Headers = Readonly<Record<string, string>>;

const seconds = (at: number) => String(Math.round(at / 1_000));
/** 40, 60 and 80 % with the first three answers, and so on. */
const usedAfter = (answer: number) => 20 + 20 * answer;

const HEADERS: Readonly<Partial<Record<AgentName, (answer: number, reset: number) => Headers>>> = {
  "claude-code": (answer, reset) => ({
    "anthropic-ratelimit-unified-status": "allowed",
    "anthropic-ratelimit-unified-5h-status": "allowed",
    "anthropic-ratelimit-unified-5h-utilization": String(usedAfter(answer) / 100),
    "anthropic-ratelimit-unified-5h-reset": seconds(reset),
  }),
  codex: (answer, reset) => ({
    "x-codex-primary-used-percent": String(usedAfter(answer)),
    "x-codex-primary-window-minutes": "300",
    "x-codex-primary-reset-at": seconds(reset),
  }),
};

test.for<AgentName>(["claude-code", "codex"])(
  "another version of %s ends when 80 % of its plan is used, and the person's next run before its first request",
  async (name, { expect }) => {
    const folder = await mkdtemp(join(tmpdir(), "plan-"));
    try {
      const reset = Date.now() + 3_600_000;
      await using provider = await startScriptedProvider(byKind({ main: worksForever() }), {
        headers: ({ index }) => HEADERS[name]?.(index, reset) ?? {},
      });
      const limits = ["--max-plan", "5h 80%", "--at-limit", "stop", "--store", join(folder, "runs.sqlite")];
      const ends = async (otherVersion: boolean) => {
        await using agent = await prepareAgent(name, { providerAddress: provider.address, otherVersion });
        return await runAgent(agent, { prompt: "Go.", wrapWith: underLimits(limits) });
      };
      const first = await ends(true);
      expect(first.stderr).toContain("stopped at 80%/80% plan per 5h");
      expect(first.code).toBe(86);
      expect(countsOf(provider).main).toBe(3);
      const second = await ends(false);
      expect(second.code).toBe(86);
      expect(countsOf(provider).main).toBe(3);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test.for<AgentName>(["claude-code", "codex"])(
  "%s waits until its window starts over, and goes on by itself",
  async (name, { expect }) => {
    let reset = 0;
    await using provider = await startScriptedProvider(byKind({ main: worksForever() }), {
      headers: ({ index }) => {
        if (index % 3 === 1) reset = Math.ceil(Date.now() / 1_000) * 1_000 + 4_000;
        return HEADERS[name]?.(((index - 1) % 3) + 1, reset) ?? {};
      },
    });
    await using agent = await prepareAgent(name, { providerAddress: provider.address });
    const limits = ["--max-plan", "5h 80% wait", "--max-requests", "5", "--at-limit", "stop"];
    const { stderr, code } = await runAgent(agent, {
      prompt: "Go.",
      wrapWith: underLimits([...limits, "--store", join(agent.root, "runs.sqlite")]),
    });
    expect(stderr).toMatch(/Waiting until \d\d:\d\d for the plan limit per 5h \(80%\/80%\)/);
    expect(stderr).toContain("stopped at 5/5 requests");
    expect(code).toBe(86);
    expect(countsOf(provider).main).toBeGreaterThan(3);
  },
);
