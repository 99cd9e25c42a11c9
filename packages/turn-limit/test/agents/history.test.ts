import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentName, byKind, calls, type ProviderScript, says, shellCall } from "@turn-limit/rig";
import { afterAll, beforeAll, describe, test } from "vitest";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { underRun } from "./under-run.ts";

const AGENTS: { name: AgentName; profile: string }[] = [
  { name: "claude-code", profile: "Claude Code" },
  { name: "codex", profile: "Codex" },
  { name: "opencode", profile: "opencode" },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agents-history-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Works for so many turns, the last of them its answer. */
const works = (turns: number): ProviderScript => {
  let main = 0;
  return byKind({
    main(request) {
      main += 1;
      return main >= turns ? says("All done.") : calls(shellCall(request, `echo step ${main}`));
    },
    title: () => says("A title"),
  });
};

describe.each(AGENTS)("$name", ({ name, profile }) => {
  test.concurrent("is held to what 90 % of its last runs took, and its runs are remembered", async ({
    expect,
  }) => {
    const file = join(folder, `${name}.sqlite`);
    const store = sqliteStore(file);
    try {
      const used = { steps: 0, time: 1, input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: 0 };
      for (let id = 1; id < 20; id += 1)
        await store.remember({
          ...{ id: `${id}`, agent: profile, end: "finished" },
          took: { turns: 2, requests: 2, ...used, calls: {} },
        });
      const first = await underRun(name, ["--store", file, "--max-turns", "9"], works(3));
      expect(first.got.main).toBe(3);
      expect((await store.pastRuns(profile)).at(-1)).toMatchObject({ end: "finished", took: { turns: 3 } });
      const options = ["--store", file, "--max-turns", "p99", "--at-limit", "stop"];
      const second = await underRun(name, options, works(9));
      expect(second.stderr).toContain(
        `turn-limit: Turn limit set to 3 (p99 of your last 20 runs of ${profile}).`,
      );
      expect(second.got.main).toBe(3);
      expect(second.summary).toContain(`stopped at 3/3 turns (${profile})`);
      expect(second).toMatchObject({ code: 86, isConfigUnchanged: true });
      expect((await store.pastRuns(profile)).at(-1)).toMatchObject({ end: "limited", took: { turns: 3 } });
    } finally {
      await store.close();
    }
  });
});
