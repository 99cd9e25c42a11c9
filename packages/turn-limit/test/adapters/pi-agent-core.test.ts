import { expect, test } from "vitest";
import { limitAgent } from "../../src/adapters/pi-agent-core.ts";
import type { Reply, SeenRequest } from "../contract/Host.ts";
import { answerTo, failed, orphansIn, scriptedAgent } from "../hosts/pi-agent-core.ts";

function make(model: (r: SeenRequest) => Reply, execute: (id: string) => void | Promise<void> = () => {}) {
  const requests: SeenRequest[] = [];
  const agent = scriptedAgent({ model: (c) => answerTo(c, requests, model), execute });
  return { agent, requests };
}
const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });

test("follow-up is a new prompt", async () => {
  const { agent, requests } = make(({ index }) => (index % 3 === 0 ? { text: "x" } : { calls: 1 }));
  const outs: string[] = [];
  const limits = limitAgent(agent, { turns: 3, onOutcome: (o) => outs.push(`${o.kind}${o.turns}`) });
  agent.followUp(user("more"));
  await agent.prompt("go");
  expect(requests.length).toBe(6);
  expect(outs).toEqual(["completed3", "completed3"]);
  expect(limits.outcome?.turns).toBe(3);
});
test("steering at the boundary refreshes nothing", async () => {
  const { agent, requests } = make(({ index }) => (index >= 2 ? { text: "x" } : { calls: 1 }));
  const limits = limitAgent(agent, { turns: 2 });
  agent.subscribe((e) => {
    if (e.type === "turn_end" && requests.length === 2 && !limits.governor.stop) agent.steer(user("s"));
  });
  await agent.prompt("go");
  expect(requests.length).toBe(2);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 2 });
  expect(agent.state.errorMessage).toContain("limit");
});
test("hooks before and after, terminate at the limit is no hit", async () => {
  const { agent, requests } = make(() => ({ calls: 1 }));
  const limits = limitAgent(agent, { turns: 2, steps: 5 });
  let before = 0;
  agent.beforeToolCall = async () => {
    before++;
    return undefined;
  };
  agent.afterToolCall = async () => ({ terminate: requests.length === 2 });
  await agent.prompt("go");
  await agent.prompt("go");
  expect(before).toBe(4);
  expect(requests.length).toBe(4);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 2, steps: 2, rounds: 1 });
});
test("terminate is completed", async () => {
  const { agent, requests } = make(() => ({ calls: 1 }));
  const limits = limitAgent(agent, { turns: 2 });
  agent.afterToolCall = async () => ({ terminate: requests.length === 2 });
  await agent.prompt("go");
  expect(limits.outcome).toMatchObject({ kind: "completed", touched: false });
});
test("failed", async () => {
  const { agent, requests } = make(({ index }) => (index >= 2 ? { fails: true } : { calls: 1 }));
  const outs: string[] = [];
  const limits = limitAgent(agent, { turns: 2, onOutcome: (o) => outs.push(o.kind) });
  await agent.prompt("go");
  expect(failed(agent)).toBe(true);
  expect(limits.outcome).toMatchObject({ kind: "failed", turns: 2 });
  expect(outs).toEqual([]);
  limits.end();
  expect(outs).toEqual(["failed"]);
  expect(limits.outcome).toMatchObject({ kind: "failed", turns: 2 });
  agent.state.messages.pop();
  await agent.continue();
  expect(requests.length).toBe(2);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 0 });
});
test("busy prompt does not disturb", async () => {
  let busy: unknown;
  const { agent, requests } = make(
    ({ index }) => (index < 4 ? { calls: 1 } : { text: "x" }),
    async () => {
      await agent.prompt("no").catch((e) => {
        busy = e;
      });
    },
  );
  const limits = limitAgent(agent, { turns: 3 });
  await agent.prompt("go");
  expect(String(busy)).toContain("already processing");
  expect(requests.length).toBe(3);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 3, steps: 3 });
  expect(agent.finishTurn).toBeUndefined();
});
test("sub agents share", async () => {
  const requests: SeenRequest[] = [];
  const executed: string[] = [];
  const parent = scriptedAgent({
    model: (c) => answerTo(c, requests, () => ({ calls: 1 })),
    execute: async () => {
      executed.push("parent");
      let mine = 0;
      const sub = scriptedAgent({
        model: (c) => answerTo(c, requests, () => (++mine === 1 ? { calls: 1 } : { text: "sub" })),
        execute: () => void executed.push("sub"),
      });
      limits.include(sub);
      await sub.prompt("work");
    },
  });
  const limits = limitAgent(parent, { turns: 3 });
  await parent.prompt("go");
  expect(requests.length).toBe(3);
  expect(orphansIn(parent.state.messages)).toBe(0);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 3 });
  console.log(executed, limits.outcome);
});
test("wrap-up is in the transcript and events once, and a failed wrap-up request is told again", async () => {
  const { agent, requests } = make(({ index }) =>
    index === 5 ? { fails: true } : index > 5 ? { text: "ok" } : { calls: 1 },
  );
  const limits = limitAgent(agent, { turns: { max: 6, grace: 2, wrapUp: { message: "WRAP" } } });
  await agent.prompt("go");
  agent.state.messages.pop();
  await agent.continue();
  expect(requests.map((r) => r.texts.filter((t) => t.includes("WRAP")).length)).toEqual([0, 0, 0, 0, 1, 1]);
  expect(limits.outcome).toMatchObject({ kind: "wrapped-up", turns: 5 });
});
test("abort while asking", async () => {
  const { agent, requests } = make(() => ({ calls: 1 }));
  const limits = limitAgent(agent, {
    turns: 1,
    ask: async () => {
      agent.abort();
      return true;
    },
  });
  await agent.prompt("go");
  expect(requests.length).toBe(1);
  console.log("abort while asking:", limits.outcome?.kind);
});
test("own hook throws", async () => {
  const { agent } = make(() => ({ calls: 1 }));
  agent.finishTurn = () => {
    throw new Error("mine");
  };
  const limits = limitAgent(agent, { turns: 5 });
  await agent.prompt("go");
  expect(limits.outcome).toMatchObject({ kind: "failed" });
});
