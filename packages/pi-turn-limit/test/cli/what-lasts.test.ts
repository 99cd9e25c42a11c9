import { endsAfter, type RpcPi, succeeded } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { limitInForce, tell, work } from "../helpers/talk.ts";

const chosen = (max: number) => `Turn limit: ${max} (/turn-limit in this session)`;
const configured = "Turn limit: 9 (--max-turns)";

/** The limit and where it came from, without the count. */
async function limitOf(pi: RpcPi): Promise<string | undefined> {
  return (await limitInForce(pi)).split(". ")[0];
}

async function ask<T>(pi: RpcPi, command: string, fields: Record<string, unknown> = {}): Promise<T> {
  return succeeded(await pi.send({ type: command, ...fields })).data as T;
}

async function sessionFile(pi: RpcPi): Promise<string> {
  return (await ask<{ sessionFile: string }>(pi, "get_state")).sessionFile;
}

/** Two prompts, with the limit set to 3 before the second and to 4 after it. */
async function liveALittle(pi: RpcPi): Promise<void> {
  await work(pi, "One.");
  await tell(pi, "/turn-limit 3");
  await work(pi, "Two.");
  await tell(pi, "/turn-limit 4");
}

async function entryAt(pi: RpcPi, prompt: string): Promise<string> {
  const { messages } = await ask<{ messages: { entryId: string; text: string }[] }>(pi, "get_fork_messages");
  return messages.find(({ text }) => text === prompt)?.entryId ?? `no prompt ${prompt}`;
}

async function leaf(pi: RpcPi): Promise<string> {
  return (await ask<{ leafId: string }>(pi, "get_entries")).leafId;
}

const cast = { maxTurns: 9, session: true, beside: ["travels"] };
/** A later start, which says nothing of limits itself. */
const later = { session: true, args: ["--continue"] };
const overruled = (limit: string, before: string) =>
  `Turn limit: ${limit}, not ${before} as set earlier in this session. To change it, use /turn-limit.\n`;

onEachHost((host) => {
  test("a session resumed by another Pi has the limit that was set in it", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const first = await stage.rpc(cast);
    await liveALittle(first);
    const file = await sessionFile(first);
    await first.close();
    const byFile = await stage.rpc({ session: true, args: ["--session", file] });
    expect(await limitOf(byFile)).toBe(chosen(4));
    await byFile.close();
    const { stderr } = await stage.print("/turn-limit", later);
    expect(stderr).toBe(`${chosen(4)}. Used: 0/4.\n`);
  });

  test.for([
    { by: "flag", start: { maxTurns: 5 }, limit: "5 (--max-turns)" },
    { by: "variable", start: { env: { PI_MAX_TURNS: "5" } }, limit: "5 (PI_MAX_TURNS)" },
  ])(
    "a $by given now wins over a command of an earlier start, and that is told",
    async ({ start, limit }) => {
      await using stage = await setStage(host, endsAfter(41));
      const first = await stage.rpc({ session: true });
      await tell(first, "/turn-limit unlimited");
      await work(first, "One.");
      await first.close();
      expect(stage.model.requests).toHaveLength(41);
      const { code, stderr } = await stage.print("Two.", { ...later, ...start });
      expect(stage.model.requests).toHaveLength(41 + 5);
      expect(code).toBe(1);
      expect(stderr).toContain(overruled(limit, "unlimited"));
      expect(stderr).toContain("Turn limit reached (5/5)");
    },
  );

  test("a fork has the limit as of the point it was made from", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc(cast);
    await liveALittle(pi);
    const file = await sessionFile(pi);
    await ask(pi, "fork", { entryId: await entryAt(pi, "Two.") });
    expect(await limitOf(pi)).toBe(chosen(3));
    await ask(pi, "switch_session", { sessionPath: file });
    await ask(pi, "fork", { entryId: await entryAt(pi, "One.") });
    expect(await limitOf(pi)).toBe(configured);
    await ask(pi, "switch_session", { sessionPath: file });
    await ask(pi, "clone");
    expect(await limitOf(pi)).toBe(chosen(4));
  });

  test("going back in the session tree brings back the limit of that point [LimitChanged]", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc(cast);
    await liveALittle(pi);
    const end = await leaf(pi);
    await tell(pi, `/go-back ${await entryAt(pi, "Two.")}`);
    expect(await limitOf(pi)).toBe(chosen(3));
    await tell(pi, `/go-back ${end}`);
    expect(await limitOf(pi)).toBe(chosen(4));
    await tell(pi, `/go-back ${await entryAt(pi, "One.")}`);
    expect(await limitOf(pi)).toBe(configured);
  });

  test("reloading the extensions keeps the limit that was set", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc(cast);
    await tell(pi, "/turn-limit 4");
    await pi.prompt("/load-again");
    expect(await limitOf(pi)).toBe(chosen(4));
    await work(pi, "One.");
    await pi.prompt("/load-again");
    expect(await limitOf(pi)).toBe(chosen(4));
  });
});

onNewestHost((host) => {
  test("a new session starts from the configured limit, and the old one keeps its own", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc(cast);
    await liveALittle(pi);
    expect(await limitOf(pi)).toBe(chosen(4));
    const file = await sessionFile(pi);
    await ask(pi, "new_session");
    expect(await limitOf(pi)).toBe(configured);
    await ask(pi, "switch_session", { sessionPath: file });
    expect(await limitOf(pi)).toBe(chosen(4));
  });

  test("a resumed session is held to the limit that was set in it [LimitChanged]", async () => {
    await using stage = await setStage(host, endsAfter(5));
    const first = await stage.rpc(cast);
    await tell(first, "/turn-limit 7");
    await work(first, "One.");
    await tell(first, "/turn-limit 2");
    await first.close();
    const { code, stderr } = await stage.print("Two.", later);
    expect(stage.model.requests).toHaveLength(5 + 2);
    expect(stderr).toContain("Turn limit reached (2/2)");
    expect(code).toBe(1);
  });

  test("unlimited lasts as any other limit does [LimitRemoved]", async () => {
    await using stage = await setStage(host, endsAfter(12));
    const first = await stage.rpc(cast);
    await tell(first, "/turn-limit unlimited");
    await work(first, "One.");
    await first.close();
    const { code, stderr } = await stage.print("Two.", later);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stage.model.requests).toHaveLength(24);
  });

  test("a command wins over the flag of its own start, in every session that it is resumed in", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const first = await stage.rpc({ session: true });
    await tell(first, "/turn-limit 4");
    await work(first, "One.");
    const file = await sessionFile(first);
    await first.close();
    const pi = await stage.rpc({ ...cast, args: ["--session", file] });
    expect(pi.notifications.map(({ message }) => `${message}\n`)).toEqual([
      overruled("9 (--max-turns)", "4"),
    ]);
    expect(await limitOf(pi)).toBe(configured);
    await tell(pi, "/turn-limit 6");
    await pi.prompt("/load-again");
    expect(await limitOf(pi)).toBe(chosen(6));
    await ask(pi, "new_session");
    await ask(pi, "switch_session", { sessionPath: file });
    expect(await limitOf(pi)).toBe(chosen(6));
    await tell(pi, "/turn-limit default");
    expect(await limitOf(pi)).toBe(configured);
    expect(pi.notifications.filter(({ type }) => type === "warning")).toHaveLength(1);
  });

  test("a flag of the same value overrules nothing, and one of another limit neither", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const first = await stage.rpc({ session: true });
    await tell(first, "/turn-limit 9");
    await work(first, "One.");
    await first.close();
    const { stderr } = await stage.print("/turn-limit", { ...later, maxTurns: 9, maxSteps: 7 });
    expect(stderr).toBe("Turn limit: 9 (--max-turns). Used: 0/9.\n");
  });

  test("going back in the session tree leaves no counter with a limit that is no longer in force", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc(cast);
    await work(pi, "One.");
    await tell(pi, "/turn-limit 50");
    expect(pi.widget("turn-limit")).toEqual(["Turns: 0/50"]);
    await tell(pi, `/go-back ${await entryAt(pi, "One.")}`);
    expect(await limitOf(pi)).toBe(configured);
    expect(pi.widget("turn-limit")).toBeUndefined();
  });

  test("a new session leaves no counter with a limit that is no longer in force", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc(cast);
    await tell(pi, "/turn-limit 50");
    await ask(pi, "new_session");
    expect(await limitOf(pi)).toBe(configured);
    expect(pi.widget("turn-limit")).not.toEqual(["Turns: 0/50"]);
  });
});
