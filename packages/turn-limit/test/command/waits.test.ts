import { expect, test, vi } from "vitest";
import { InstalledClaude } from "./installed-claude.ts";

const claude = new InstalledClaude();
const begun = claude.begun.bind(claude);
const typed = claude.typed.bind(claude);
const parked = claude.parked.bind(claude);

const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 60_000, interval: 20 });
const waits = (seen: { err: string }) => seen.err.match(/Waiting until \d\d:\d\d for the /g)?.length ?? 0;

test("a run that waits for the next day is parked where its agent would not wait, and goes on by itself", async () => {
  const { child, seen, ended } = begun("run", "--max-turns", "2 per day wait", "claude", "-p", "x");
  await until(() => waits(seen) === 1);
  expect(claude.provider.requests).toHaveLength(2);
  expect(seen.out).toContain(
    "Turn limit per day reached (2/2). The run is parked here until the limit starts over. The limit starts over at 00:00. turn-limit run goes on with it then.",
  );
  expect(seen.err).toMatch(
    /turn-limit: Waiting until \d\d:\d\d for the turn limit per day \(2\/2\)\. Ctrl\+C leaves it parked\. To go on then: npx turn-limit resume /,
  );
  // There is room again, as on the next day.
  await typed("pools", "extend", "runs per day", "turns", "3");
  await until(() => waits(seen) === 2);
  expect(claude.provider.requests).toHaveLength(5);
  child.kill("SIGINT");
  expect(await ended).toBe(87);
  expect(seen.err).toMatch(
    /turn-limit: parked at 5\/5 turns per day .* 5 requests .*to go on: npx turn-limit resume /,
  );
  expect(await parked()).toMatchObject([
    { question: { limit: "turns per day", used: 5, max: 5, reply: null } },
  ]);
});

test("while it waits it is answered from elsewhere: a yes lets it go on, a no ends it, and it is not parked twice", async () => {
  const { seen, ended } = begun("run", "--max-turns", "1 per day wait", "--json", "claude", "-p", "x");
  await until(() => waits(seen) === 1);
  const [first] = await parked();
  expect(first.question.waits).toEqual({ until: expect.any(Number) });
  await typed("pools", "answer", first.id, first.question.id, "2");
  await until(() => waits(seen) === 2);
  expect(claude.provider.requests).toHaveLength(3);
  const [again, ...others] = await parked();
  expect([again.id, others]).toEqual([first.id, []]);
  await typed("pools", "answer", again.id, again.question.id, "no");
  expect(await ended).toBe(87);
  expect(claude.provider.requests).toHaveLength(3);
  expect(JSON.parse(seen.err.trim().split("\n").at(-1) ?? "")).toMatchObject({ exitCode: 87, requests: 3 });
});

test("where the agent waits for longer than until the next day, its request is held, and sent when there is room", async () => {
  const { child, seen, ended } = begun(
    ...["run", "--max-turns", "1 per day wait", "--hold", "30h", "claude", "-p", "x"],
  );
  await until(() => waits(seen) === 1);
  expect(claude.provider.requests).toHaveLength(1);
  expect(await parked()).toEqual([]);
  await typed("pools", "extend", "runs per day", "turns", "1");
  await until(() => claude.provider.requests.length === 2);
  const runs = JSON.parse((await typed("pools", "--json")).out);
  expect(JSON.stringify(runs)).toContain('"waits":{"until":"');
  child.kill("SIGINT");
  await ended;
});

test("a run that waits, and whose process has ended, goes on with turn-limit resume, which waits as well", async () => {
  const first = begun("run", "--max-turns", "1 per day wait", "claude", "-p", "x");
  await until(() => waits(first.seen) === 1);
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(87);
  const [{ id }] = await parked();
  const second = begun("resume", id);
  // Nothing is allowed by going on: there is no room yet.
  await until(() => waits(second.seen) === 1);
  expect(claude.provider.requests).toHaveLength(1);
  await typed("pools", "extend", "runs per day", "turns", "1");
  await until(() => waits(second.seen) === 2);
  expect(claude.provider.requests).toHaveLength(2);
  second.child.kill("SIGINT");
  expect(await second.ended).toBe(87);
});

test.each([
  ["5 wait", "5 wait needs a period, at the end of which it starts over: 5 per day wait."],
  ["5 per day wait stop", 'After 5 per day wait nothing can follow: leave out "stop".'],
  ["5 per day stop", 'After 5 per day only wait can follow, not "stop".'],
])("%j is refused, and nothing is started", async (limit, why) => {
  const { code, err } = await typed("run", "--max-turns", limit, "claude", "-p", "x");
  expect({ code, err }).toEqual({
    code: 2,
    err: `turn-limit: Invalid turn limit from --max-turns. ${why}\n`,
  });
  expect(claude.provider.requests).toHaveLength(0);
});
