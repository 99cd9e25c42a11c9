import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
  type AgentName,
  byKind,
  prepareAgent,
  startAgent,
  startScriptedProvider,
  worksForever,
} from "@turn-limit/rig";
import { test, vi } from "vitest";
import { BIN, countsOf, underLimits } from "./under-run.ts";

test.for<AgentName>(["claude-code", "codex", "opencode"])(
  "%s is parked until its limit starts over, and goes on by itself in its session, with exactly as many requests as there are",
  async (name, { expect }) => {
    await using provider = await startScriptedProvider(byKind({ main: worksForever() }));
    await using agent = await prepareAgent(name, { providerAddress: provider.address });
    const store = join(agent.root, "runs.sqlite");
    const main = () => countsOf(provider).main;
    const parked = async () => {
      const child = spawn(process.execPath, [BIN, "parked", "--json", "--store", store], { env: agent.env });
      let out = "";
      child.stdout.on("data", (more) => (out += more));
      await once(child, "close");
      return out === "" ? [] : JSON.parse(out).parked;
    };
    const limits = ["--max-turns", "2 per day wait", "--max-requests", "50", "--store", store];
    await using running = startAgent(agent, { prompt: "Go.", wrapWith: underLimits(limits) });
    const first = await vi.waitUntil(async () => (await parked())[0], { timeout: 60_000 });
    expect(first.question).toMatchObject({ limit: "turns per day", used: 2, max: 2, reply: null });
    expect(main()).toBe(2);
    // As on the next day, there is room for three more.
    const allow = ["pools", "extend", "runs per day", "turns", "3", "--store", store];
    await once(spawn(process.execPath, [BIN, ...allow], { env: agent.env }), "close");
    await vi.waitUntil(async () => (await parked())[0]?.question.used === 5, { timeout: 60_000 });
    expect(main()).toBe(5);
    const [again] = await parked();
    expect([again.id, again.session]).toEqual([first.id, first.session]);
    const no = ["pools", "answer", again.id, again.question.id, "no", "--store", store];
    await once(spawn(process.execPath, [BIN, ...no], { env: agent.env }), "close");
    const { code, stderr } = await running.ended();
    expect(code).toBe(87);
    expect(stderr.match(/Waiting until \d\d:\d\d for the turn limit per day/g)).toHaveLength(2);
    expect(main()).toBe(5);
  },
);
