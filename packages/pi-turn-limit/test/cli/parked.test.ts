import { spawn } from "node:child_process";
import { once } from "node:events";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { deferred, endless, type Script, says } from "@turn-limit/rig";
import { expect, test, vi } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { TURN_LIMIT, typed } from "../helpers/typed.ts";

async function parkedOn(stage: Stage) {
  return JSON.parse((await typed(stage, "parked", "--json")).out).parked;
}

onEachHost((host) => {
  test("print mode is parked at a limit, answered, and resumed once with its conversation", async () => {
    await using stage = await setStage(host, endless());
    const { requests } = stage.model;
    const first = await stage.print("Count the blue herons.", {
      ...{ maxTurns: 3, session: true, args: ["--unanswered", "park"] },
    });
    const [{ id, session, question, name }] = await parkedOn(stage);
    expect(first.stderr + first.stdout).toContain(
      `Nobody answered, so the run is parked here. To go on: npx turn-limit resume ${id}`,
    );
    expect({ code: first.code, requests: requests.length }).toEqual({ code: 87, requests: 3 });
    expect(name).toContain("Pi in ");

    expect((await typed(stage, "pools", "answer", id, question.id, "2")).code).toBe(0);
    const both = await Promise.all([typed(stage, "resume", id), typed(stage, "resume", id)]);
    expect(requests).toHaveLength(5);
    // At the next limit it is parked anew, in the same session.
    expect(both.map(({ code }) => code).sort(), both.map(({ err }) => err).join()).toEqual([1, 87]);
    expect(await parkedOn(stage)).toMatchObject([
      { id, session, question: { used: 2, max: 2, reply: null } },
    ]);
    const { grants } = JSON.parse((await typed(stage, "grants", "--json")).out);
    expect(grants.map(({ where }: { where: string }) => where)).toEqual(["with turn-limit pools"]);
    const conversation = JSON.stringify(requests[3]?.messages);
    expect(conversation).toContain("Count the blue herons.");
    expect(conversation).toMatch(/turn 1.*turn 2.*turn 3/);

    // A yes is as much as the limit says.
    expect((await typed(stage, "resume", id)).code).toBe(87);
    expect(requests).toHaveLength(8);
  });
});

/** A model that works on and on, and holds its answer to one request until it is let go on. */
function heldAt(request: number) {
  const goesOn = deferred();
  const works = endless();
  return {
    letGoOn: () => goesOn.resolve(),
    script: (async (asked) => {
      if (asked.index >= request) await goesOn.promise;
      return works(asked);
    }) satisfies Script,
  };
}

/** `turn-limit resume`, with everything that it starts in one group of processes. */
function resuming({ sandbox }: Stage, ...args: string[]) {
  const child = spawn(process.execPath, [TURN_LIMIT, "resume", ...args], {
    ...{ cwd: sandbox.root, env: { ...sandbox.env }, detached: true },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const ended = once(child, "exit");
  return {
    kill: async (all: boolean) => {
      const { pid = 0 } = child;
      process.kill(all ? -pid : pid, "SIGKILL");
      await ended;
    },
  };
}

const PARK = { maxTurns: 3, session: true, args: ["--unanswered", "park"] };
const requested = (stage: Stage, requests: number) =>
  vi.waitUntil(() => stage.model.requests.length >= requests, { timeout: 60_000, interval: 20 });

onNewestHost((host) => {
  test("killed together with the command that resumed it, a run goes on later with what is left of what was granted [ResumedRunIsNotLost]", async () => {
    const held = heldAt(5);
    await using stage = await setStage(host, held.script);
    await stage.print("Go.", PARK);
    const [{ id }] = await parkedOn(stage);
    const resumed = resuming(stage, id, "4");
    await requested(stage, 5);
    await resumed.kill(true);
    held.letGoOn();
    expect(await parkedOn(stage)).toMatchObject([{ id, resumed: false, question: { reply: { more: 4 } } }]);
    expect((await typed(stage, "resume", id)).code).toBe(87);
    expect(stage.model.requests).toHaveLength(3 + 4);
    expect(await parkedOn(stage)).toMatchObject([{ id, question: { used: 4, max: 4, reply: null } }]);
  });

  test("when only that command is killed Pi goes on, nobody else does, and at the limit it is parked anew [ParkedRunGoesOnOnce]", async () => {
    const held = heldAt(5);
    await using stage = await setStage(host, held.script);
    await stage.print("Go.", PARK);
    const [{ id }] = await parkedOn(stage);
    const resumed = resuming(stage, id, "4");
    await requested(stage, 5);
    await resumed.kill(false);
    expect(await typed(stage, "resume", id)).toMatchObject({
      code: 1,
      err: expect.stringMatching(`${id} goes on already, by process `),
    });
    held.letGoOn();
    await vi.waitUntil(async () => (await parkedOn(stage))[0]?.question.reply === null, {
      ...{ timeout: 60_000, interval: 100 },
    });
    expect(stage.model.requests).toHaveLength(3 + 4);
  });

  test("a run that was resumed is over when Pi has ended, also if the command that resumed it was killed", async () => {
    const held = heldAt(5);
    const ends: Script = (asked) => (asked.index > 5 ? says("Done.") : held.script(asked));
    await using stage = await setStage(host, ends);
    await stage.print("Go.", PARK);
    const [{ id }] = await parkedOn(stage);
    const resumed = resuming(stage, id, "unlimited");
    await requested(stage, 5);
    await resumed.kill(false);
    held.letGoOn();
    await vi.waitUntil(async () => (await parkedOn(stage)).length === 0, { timeout: 60_000, interval: 100 });
    expect(stage.model.requests).toHaveLength(6);
  });

  test("a run whose Pi does not go on stays parked, with its answer", async () => {
    await using stage = await setStage(host, endless());
    const { requests } = stage.model;
    await stage.print("Go.", { maxTurns: 3, session: true, args: ["--unanswered", "park"] });
    const [{ id }] = await parkedOn(stage);
    const sessions = join(stage.sandbox.agentDir, "sessions");

    const refused = await typed(stage, "resume", id, "2", "--", "--no-such-option");
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining(`turn-limit: ${id} could not go on, and is parked as before.`),
    });
    await rename(sessions, `${sessions}-elsewhere`);
    expect((await typed(stage, "resume", id)).err).toContain("and is parked as before.");
    expect(await parkedOn(stage)).toMatchObject([{ id, question: { used: 3, max: 3, reply: { more: 2 } } }]);
    expect(requests).toHaveLength(3);

    await rm(sessions, { recursive: true, force: true });
    await rename(`${sessions}-elsewhere`, sessions);
    expect((await typed(stage, "resume", id)).code).toBe(87);
    expect(requests).toHaveLength(5);
  });

  test("without being told to, or without a session, print mode stops as ever", async () => {
    await using stage = await setStage(host, endless());
    const stopped = await stage.print("Go.", { maxTurns: 2, session: true });
    expect(stopped.code).toBe(1);
    const unsaved = await stage.print("Go.", { maxTurns: 2, env: { PI_UNANSWERED: "park" } });
    expect(unsaved.stderr).toContain(
      "The run could not be parked, so it is stopped: this session is not saved",
    );
    expect(unsaved.code).toBe(1);
    const unknown = await stage.print("Go.", { maxTurns: 2, env: { PI_UNANSWERED: "wait" } });
    expect(unknown.stderr).toContain('"wait" from PI_UNANSWERED is not known. Use stop or park.');
    expect(stage.model.requests).toHaveLength(6);
    expect(await parkedOn(stage)).toEqual([]);
  });
});
