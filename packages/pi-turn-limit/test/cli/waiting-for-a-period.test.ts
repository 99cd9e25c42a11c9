import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bash, calls, endless, patience, type Script, says } from "@turn-limit/rig";
import { expect, test, vi } from "vitest";
import { OVER_A_DAY } from "../helpers/a-day.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { no, tell, yes } from "../helpers/talk.ts";
import { clock, passTime } from "../helpers/time.ts";

const beside = [clock];
const twoPerDay = ["--max-turns", "2 per day wait"];

/** Is done with the answer of this number. */
function doneAt(turn: number): Script {
  return ({ index }) => (index < turn ? calls(bash("echo working")) : says("Done."));
}

/** Resolves when a session of this stage is held until its limit starts over, and is listed so. */
async function isWaiting({ sandbox }: Stage): Promise<void> {
  const file = join(sandbox.agentDir, "turn-limit.sqlite");
  const waits = () => {
    if (!existsSync(file)) return false;
    const store = new DatabaseSync(file, { readOnly: true });
    try {
      return JSON.stringify(store.prepare("SELECT * FROM entries").all()).includes('\\"waits\\":');
    } catch {
      // The session writes to it.
      return false;
    } finally {
      store.close();
    }
  };
  await vi.waitUntil(waits, { timeout: patience, interval: 50 });
}

const requestsOf = ({ model }: Stage) => model.requests.length;

onEachHost((host) => {
  test("a run is held at the limit of the day, and goes on by itself on the next [WaitsForThePeriod]", async ({
    expect,
  }) => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ args: twoPerDay, beside });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(question).toMatchObject({
      title: "Turn limit per day reached",
      message: expect.stringMatching(
        /^You've used 2 turns today\. It goes on by itself at \d\d:\d\d\. Continue now\?$/,
      ),
    });
    expect(requestsOf(stage)).toBe(2);
    await passTime(stage, OVER_A_DAY);
    // Nobody has answered, and it is at the limit of the next day.
    const next = await pi.nextDialog();
    expect(next.message).toContain("You've used 2 turns today.");
    expect(requestsOf(stage)).toBe(4);
    pi.answer(next, no);
    await pi.settled();
    expect(requestsOf(stage)).toBe(4);
  });

  test("in print mode the run is held as well, says so, and ends with its answer [WaitsForThePeriod]", async ({
    expect,
  }) => {
    await using stage = await setStage(host, doneAt(3));
    const over = stage.print("Go.", { args: twoPerDay, beside });
    await isWaiting(stage);
    expect(requestsOf(stage)).toBe(2);
    await passTime(stage, OVER_A_DAY);
    const { code, stdout, stderr } = await over;
    expect({ code, stdout, requests: requestsOf(stage) }).toEqual({
      code: 0,
      stdout: "Done.\n",
      requests: 3,
    });
    expect(stderr).toMatch(/^Waiting until \d\d:\d\d for the turn limit per day \(2\/2\)\.$/m);
  });
});

onNewestHost((host) => {
  test("while it waits it is answered like a question: a yes allows another round, a no ends the run", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ args: twoPerDay });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(question.message).toContain("Continue now?");
    pi.answer(question, yes);
    const next = await pi.nextDialog();
    expect(requestsOf(stage)).toBe(4);
    pi.answer(next, no);
    await pi.settled();
    expect(requestsOf(stage)).toBe(4);
  });

  test("another session of the same day waits before its first request", async ({ expect }) => {
    await using stage = await setStage(host, doneAt(3));
    const args = ["--max-turns", "2 per day"];
    await stage.print("Go.", { args });
    expect(requestsOf(stage)).toBe(2);
    const over = stage.print("Go.", { args: twoPerDay, beside });
    await isWaiting(stage);
    expect(requestsOf(stage)).toBe(2);
    await passTime(stage, OVER_A_DAY);
    expect({ ...(await over), requests: requestsOf(stage) }).toMatchObject({ code: 0, requests: 3 });
  });

  test("the settings file says it for all sessions, and for those without a person alone", async () => {
    for (const policy of [{ onExhausted: "wait" }, { headless: "wait" }]) {
      await using stage = await setStage(host, doneAt(2));
      await stage.sandbox.writeUserConfig({ turns: [9, { max: 1, per: "week", ...policy }] });
      const over = stage.print("Go.", { beside });
      await isWaiting(stage);
      expect(requestsOf(stage)).toBe(1);
      await passTime(stage, 8 * OVER_A_DAY);
      expect({ ...(await over), requests: requestsOf(stage) }).toMatchObject({ code: 0, requests: 2 });
    }
  });

  test("/limits and the command set it, and it is saved", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc();
    expect((await tell(pi, "/cost-limit $20 per day wait")).message).toContain(
      "Cost limit set to $20.00 per day wait.",
    );
    expect((await tell(pi, "/limits")).message).toMatch(/Cost per day .*· wait$/m);
  });

  test("a limit that does not start over cannot be waited for: one line says what to write", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc();
    const said = async (command: string) => (await tell(pi, command)).message;
    expect(await said("/cost-limit $20 wait")).toBe(
      "Invalid cost limit. $20 wait needs a period, at the end of which it starts over: $20 per day wait.",
    );
    expect(await said("/cost-limit $20 per session wait")).toBe(
      "Invalid cost limit per session. A limit per session does not start over by itself: for wait, use one per day, week or month.",
    );
    expect(await said("/cost-limit $20 per day wiat")).toBe(
      'Invalid cost limit per day. Write wait, not "wiat".',
    );
    await stage.sandbox.writeUserConfig({ turns: { max: 2, onExhausted: "wait" } });
    const { stderr } = await stage.print("Go.");
    expect(stderr).toContain('"turns.onExhausted": Invalid turn policy. Use "ask", "stop", "raise"');
  });
});
