import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { InstalledClaude } from "./installed-claude.ts";

const claude = new InstalledClaude();
const sent = () => claude.provider.requests.length;
const untilSent = (requests: number) =>
  vi.waitUntil(() => sent() >= requests, { timeout: 60_000, interval: 20 });

/** A run that is parked after two turns. */
async function parkedAtTwo(): Promise<string> {
  const limits = ["--max-turns", "2", "--unanswered", "park"];
  expect((await claude.typed("run", ...limits, "claude", "-p", "x")).code).toBe(87);
  const [{ id }] = await claude.parked();
  return id;
}

/** Resumes it, and kills what goes on with it while the provider has this request and has not answered it. */
async function killedIn(request: number, ...args: string[]): Promise<void> {
  claude.answerUpTo(request - 1);
  const { child, ended } = claude.begun(...args);
  await untilSent(request);
  child.kill("SIGKILL");
  await ended;
  claude.answerUpTo(Infinity);
}

test("a resume that is killed while its agent works loses no run, and grants nothing twice [ResumedRunIsNotLost]", async () => {
  const id = await parkedAtTwo();
  await killedIn(5, "resume", id, "6");
  // Nobody has to wait until it is known that it was killed.
  expect(await claude.parked()).toMatchObject([{ id, resumed: false, question: { reply: { more: 6 } } }]);
  const { code, err } = await claude.typed("resume", id);
  expect(err).toMatch(/^turn-limit: parked at 6\/6 turns /m);
  expect({ code, requests: sent() }).toEqual({ code: 87, requests: 8 });
  // Now it asks anew.
  expect(await claude.parked()).toMatchObject([{ id, question: { used: 6, max: 6, reply: null } }]);
});

test("killed again and again, a run takes its granted turns once [ResumedRunIsNotLost]", async () => {
  const id = await parkedAtTwo();
  await killedIn(3, "resume", id, "8");
  for (const request of [4, 6, 9]) await killedIn(request, "resume", id);
  expect((await claude.typed("resume", id)).code).toBe(87);
  expect(sent()).toBe(2 + 8);
});

test("a watch that is killed together with its agents goes on with them when it is started again [ResumedRunIsNotLost]", async () => {
  const id = await parkedAtTwo();
  const [{ question }] = await claude.parked();
  await claude.typed("pools", "answer", id, question.id, "4");
  claude.answerUpTo(3);
  const watch = claude.begun("resume", "--watch");
  await untilSent(4);
  const killed = once(watch.child, "exit");
  watch.child.kill("SIGKILL");
  await killed;
  // What it started goes on without it, and nobody else begins with the same run.
  const other = claude.begun("resume", "--watch");
  await vi.waitUntil(() => other.seen.err.includes("go on here"), { timeout: 60_000, interval: 20 });
  const [{ resumed, pid }] = await claude.parked();
  expect(resumed).toBe(true);
  process.kill(pid, "SIGKILL");
  claude.answerUpTo(Infinity);
  await untilSent(6);
  await vi.waitUntil(async () => (await claude.parked())[0]?.question.reply === null, {
    ...{ timeout: 60_000, interval: 100 },
  });
  expect(sent()).toBe(2 + 4);
});

test("while an agent goes on nobody else resumes its run, answers for it, or forgets it [ParkedRunGoesOnOnce]", async () => {
  const id = await parkedAtTwo();
  const [{ question }] = await claude.parked();
  claude.answerUpTo(3);
  const resumed = claude.begun("resume", id, "unlimited");
  await untilSent(4);
  expect(await claude.parked()).toMatchObject([{ id, resumed: true, pid: resumed.child.pid }]);
  expect((await claude.typed("parked")).out).toContain("It goes on.");
  const message = `turn-limit: ${id} goes on already, by process ${resumed.child.pid}.\n`;
  for (const args of [
    ["resume", id],
    ["parked", "forget", id],
  ])
    expect(await claude.typed(...args)).toMatchObject({ code: 1, err: message });
  expect((await claude.typed("pools", "answer", id, question.id, "3")).code).not.toBe(0);
  claude.answerUpTo(Infinity);
  expect(await resumed.ended).toBe(0);
  // It has gone on, and is over.
  expect(await claude.parked()).toEqual([]);
});

test("of several who resume a run at once one goes on [ParkedRunGoesOnOnce]", async () => {
  const id = await parkedAtTwo();
  // The one that goes on works until the others have ended.
  claude.answerUpTo(2);
  const codes: number[] = [];
  const all = [1, 2, 3, 4].map(async () => codes.push(await claude.begun("resume", id).ended));
  await vi.waitUntil(() => codes.length === 3, { timeout: 60_000, interval: 20 });
  expect(codes).toEqual([1, 1, 1]);
  claude.answerUpTo(Infinity);
  await Promise.all(all);
  expect(codes.at(-1)).toBe(87);
  expect(sent()).toBe(4);
});
