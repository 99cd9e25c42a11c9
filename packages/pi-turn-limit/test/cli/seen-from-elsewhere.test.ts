import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { type SeenRun, seenRun } from "../../../turn-limit/src/pools/ledger/listed-run.ts";
import { sqliteStore } from "../../../turn-limit/src/pools/stores/sqlite/index.ts";
import { onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { cameToRest } from "../helpers/talk.ts";

type Store = ReturnType<typeof sqliteStore>;

async function found<T>(find: (run: SeenRun) => T | undefined, store: Store): Promise<T> {
  for (;;) {
    const [run] = (await store.runs()).map(seenRun);
    const value = run && find(run);
    if (value !== undefined) return value;
    await pause(20);
  }
}

await onNewestTerminal((host) => {
  test("a question of Pi is answered in the store and closes on the screen, and one answered on the screen closes in the store [AskedEverywhere]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 2 });
    const store = sqliteStore(join(stage.sandbox.agentDir, "turn-limit.sqlite"));
    try {
      await pi.submit("Go.");
      await pi.waitFor("You've used 2 turns. Continue?");
      const run = await found((run) => (run.questions.length > 0 ? run : undefined), store);
      expect(run).toMatchObject({ agent: "Pi", state: "asking", used: { turns: 2 } });
      const answer = { kind: "answer", question: run.questions[0]?.id ?? "", reply: { more: 1 } } as const;
      const person = { where: "on the phone", to: run.name };
      expect((await store.change(`run@${run.id}`, { ...answer, key: "1", person })).made).toBe(true);
      await pi.waitFor("Answered on the phone: yes, 1 more turn.");
      await stage.model.waitForRequest(3);
      await pi.waitFor("Continue?");
      expect(stage.model.requests).toHaveLength(3);
      const second = await found(({ questions: [question] }) => question, store);
      await pi.press("Escape");
      await cameToRest(pi);
      const late = { kind: "answer", question: second.id, reply: true, key: "2", person } as const;
      expect((await store.change(`run@${run.id}`, late)).made).toBe(false);
      expect((await store.grants()).map(({ where, reply }) => [where, reply])).toEqual([
        ["on the phone", { more: 1 }],
        ["in the terminal", false],
      ]);
      expect(stage.model.requests).toHaveLength(3);
    } finally {
      await store.close();
    }
  });
});

onNewestHost((host) => {
  test("a session that is not to be listed is in no store, and a project cannot say so", async ({
    expect,
  }) => {
    await using stage = await setStage(host, endless(), { trusted: true });
    const file = join(stage.sandbox.agentDir, "turn-limit.sqlite");
    const runs = async () => {
      const store = sqliteStore(file);
      try {
        return (await store.runs()).map(seenRun).map((run) => run?.state);
      } finally {
        await store.close();
      }
    };
    await stage.sandbox.writeUserConfig({ listed: false });
    const hidden = await stage.rpc({ maxTurns: 2 });
    await hidden.prompt("Go.");
    await hidden.nextDialog();
    expect(existsSync(file) ? await runs() : []).toEqual([]);
    await hidden.close();

    await stage.sandbox.writeUserConfig({});
    await stage.sandbox.writeProjectConfig({ listed: false });
    const listed = await stage.rpc({ maxTurns: 2 });
    await listed.prompt("Go.");
    await listed.nextDialog();
    await expect.poll(() => (existsSync(file) ? runs() : [])).toEqual(["asking"]);
    expect(stage.model.requests).toHaveLength(4);
  });

  test("after kill -9 of Pi its session disappears with its lease [SilentRunIsGone]", async () => {
    await using stage = await setStage(host, endless());
    const file = join(stage.sandbox.agentDir, "turn-limit.sqlite");
    const pi = await stage.rpc({ maxTurns: 2 });
    await pi.prompt("Go.");
    await pi.nextDialog();
    const store = sqliteStore(file);
    const later = sqliteStore(file, { now: () => Date.now() + 61_000 });
    try {
      const { id, pid = 0 } = await found((run) => (run.state === "asking" ? run : undefined), store);
      process.kill(pid, "SIGKILL");
      await pi.close();
      expect((await store.runs()).map(seenRun).map((run) => run?.id)).toEqual([id]);
      expect(await later.runs()).toEqual([]);
      const stop = { kind: "stop", why: "", key: "1" } as const;
      expect((await later.change(`run@${id}`, stop)).made).toBe(false);
      expect(stage.model.requests).toHaveLength(2);
    } finally {
      await store.close();
      await later.close();
    }
  });
});
