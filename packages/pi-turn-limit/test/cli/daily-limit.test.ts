import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bash, calls, type Script, says, withUsage } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { no, tell, yes } from "../helpers/talk.ts";

const priced = { modelCost: { input: 1 } };

/** Works without end, for ten cents an answer. */
const tenCents: Script = ({ toolNames }) =>
  withUsage(
    { promptTokens: 100_000, completionTokens: 0 },
    toolNames.length === 0 ? says("What I know.") : calls(bash("echo working")),
  );

/** The clock of a Pi that is started with it is ahead from its very beginning. */
const fortyDaysAhead = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    "const { now } = Date; Date.now = () => now() + 40 * 24 * 60 * 60 * 1000;",
  )}`,
};

type Stage = Awaited<ReturnType<typeof setStage>>;

function storeOf(stage: Stage): string {
  return join(stage.sandbox.agentDir, "turn-limit.sqlite");
}

/** Makes what was used today what was used yesterday: the rows of the store get another day. */
function letADayPass(stage: Stage): void {
  const store = new DatabaseSync(storeOf(stage));
  for (const { name } of store.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all())
    for (const column of store.prepare(`PRAGMA table_info(${name})`).all())
      if (column.name === "pool")
        store.exec(`UPDATE ${name} SET pool = replace(pool, '@', '@before ') WHERE pool LIKE '%@%'`);
  store.close();
  const mark = `${storeOf(stage)}.kept`;
  writeFileSync(mark, readFileSync(mark, "utf8").replaceAll("@", "@before "));
}

function inStore(file: string, sql: string): void {
  const store = new DatabaseSync(file);
  store.exec(sql);
  store.close();
}

onEachHost((host) => {
  test("turns per session last over a restart [MemberJoins]", async () => {
    await using stage = await setStage(host, tenCents, priced);
    const args = ["--max-turns", "3, 5 per session"];
    await stage.print("Go.", { args, session: true });
    const { stderr } = await stage.print("Go on.", { args: [...args, "--continue"], session: true });
    expect(stderr).toContain("Turn limit per session reached (5/5).");
    expect(stage.model.requests).toHaveLength(5);
  });
});

onNewestHost((host) => {
  test("one prompt under a clock that is 40 days ahead does not start the day over", async () => {
    await using stage = await setStage(host, tenCents, priced);
    await stage.sandbox.writeUserConfig({ turns: [3, { max: 5, per: "day" }] });
    await stage.print("Go.");
    await stage.print("Go.", { env: fortyDaysAhead });
    const before = stage.model.requests.length;
    const { stderr } = await stage.print("Go.");
    expect(stderr).toContain("Turn limit per day reached (5/5).");
    expect(stage.model.requests.length - before).toBe(2);
  });

  test("several print runs, one after the other and at once, obey one limit per day [MemberJoins] [CountedWithinAdmitted]", async () => {
    await using stage = await setStage(host, tenCents, priced);
    await stage.sandbox.writeUserConfig({ turns: [3, { max: 5, per: "day" }] });
    const first = await stage.print("Go.");
    expect({ code: first.code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 3 });
    const both = await Promise.all([stage.print("Go."), stage.print("Go.")]);
    for (const { stderr } of both) expect(stderr).toMatch(/Turn limit per day reached \(5\/5\)\./);
    expect(stage.model.requests).toHaveLength(5);
    letADayPass(stage);
    await stage.print("Go.");
    expect(stage.model.requests).toHaveLength(8);
  });

  test("a person is asked at the limit of the day; a yes is another round of it, for other sessions, too [PoolExtended] [NewMaximumEndsExtension]", async () => {
    await using stage = await setStage(host, tenCents, priced);
    const args = ["--max-cost", "$0.20 per day"];
    const pi = await stage.rpc({ args });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(question).toMatchObject({
      title: "Cost limit per day reached\nYou've used $0.20 today. Continue?",
      options: [
        "Yes · another $0.20 today, for all sessions",
        "Yes · another $0.05 today, for all sessions",
        "No",
      ],
    });
    expect(stage.model.requests).toHaveLength(2);
    pi.answer(question, yes);
    const next = await pi.nextDialog();
    expect(next.title).toContain("You've used $0.40 today. Continue?");
    expect(pi.widget("turn-limit")?.join()).toContain("Cost today: $0.40/$0.40");
    pi.answer(next, no);
    await pi.settled();
    expect(stage.model.requests).toHaveLength(4);
    const other = await stage.rpc({ args });
    await other.prompt("/cost-limit $0.50 per day");
    await other.prompt("Go.");
    expect((await other.nextDialog()).title).toContain("You've used $0.50 today. Continue?");
    expect(stage.model.requests).toHaveLength(5);
  });

  test("a yes after an answer that cost more than a round allows what it says, beyond what was used [PoolExtended]", async () => {
    await using stage = await setStage(host, tenCents, priced);
    const pi = await stage.rpc({ args: ["--max-cost", "$0.04 per day"] });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(question.title).toContain("You've used $0.10 today. Continue?");
    pi.answer(question, yes);
    const next = await pi.nextDialog();
    expect(next.title).toContain("You've used $0.20 today. Continue?");
    expect(pi.widget("turn-limit")?.join()).toContain("Cost today: $0.20/$0.14");
    pi.answer(next, no);
    expect(stage.model.requests).toHaveLength(2);
  });

  test("a yes to the smaller amount allows that much, and no more [PoolExtended]", async () => {
    await using stage = await setStage(host, tenCents, priced);
    const pi = await stage.rpc({ args: ["--max-cost", "$0.40 per day"] });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(stage.model.requests).toHaveLength(4);
    pi.answer(question, { value: "Yes · another $0.10 today, for all sessions" });
    const next = await pi.nextDialog();
    expect(next.title).toContain("You've used $0.50 today. Continue?");
    expect(stage.model.requests).toHaveLength(5);
    pi.answer(next, no);
  });

  test("at 80 % the person is told, once in the period [ToldOnceInAPeriod]", async () => {
    await using stage = await setStage(host, tenCents, priced);
    await stage.sandbox.writeUserConfig({ cost: { max: 1.2, per: "day" }, turns: 10 });
    const told = async () => {
      const pi = await stage.rpc();
      await pi.prompt("Go.");
      pi.answer(await pi.nextDialog(), no);
      await pi.settled();
      return pi.notifications
        .filter(({ message }) => message.includes("% of the"))
        .map(({ message }) => message);
    };
    expect(await told()).toEqual(["83 % of the cost limit per day is used ($1.00/$1.20)."]);
    expect(await told()).toEqual([]);
  });

  test("a session shows what was used today before its first turn", async ({ expect }) => {
    await using stage = await setStage(host, tenCents, priced);
    await stage.sandbox.writeUserConfig({ cost: { max: 5, per: "day" }, turns: 2 });
    await stage.print("Go.");
    const pi = await stage.rpc();
    await expect
      .poll(async () => (await tell(pi, "/limits")).message)
      .toMatch(/Cost per day +\$0\.20 +\$5\.00/);
  });

  test("a limit that is set in the middle of a run shows what was used today", async ({ expect }) => {
    await using stage = await setStage(host, tenCents, priced);
    await stage.print("Go.", { maxTurns: 2, args: ["--max-cost", "$5 per day"] });
    const pi = await stage.rpc({ maxTurns: 1 });
    await pi.prompt("Go.");
    await pi.nextDialog();
    await pi.prompt("/cost-limit $5 per day");
    await expect.poll(() => pi.widget("turn-limit")?.join()).toContain("Cost today: $0.20/$5.00");
  });

  const spoiled = [
    {
      what: "damaged",
      spoil: (file: string) => writeFile(file, "This is not a database, whatever its name is."),
    },
    {
      what: "a folder",
      spoil: async (file: string) => {
        await rm(file);
        await mkdir(file);
      },
    },
    {
      what: "without its tables",
      spoil: async (file: string) => inStore(file, "DROP TABLE entries; DROP TABLE heads"),
    },
    {
      what: "another program's",
      spoil: async (file: string) => {
        await rm(file);
        inStore(file, "CREATE TABLE letters (text)");
      },
    },
    {
      what: "of a later version",
      spoil: async (file: string) => inStore(file, "PRAGMA user_version = 99"),
    },
  ];
  const lost = [
    { what: "deleted", spoil: (file: string) => rm(file) },
    { what: "emptied", spoil: (file: string) => writeFile(file, "") },
    { what: "without its rows", spoil: async (file: string) => inStore(file, "DELETE FROM entries") },
  ];

  /** A store that one run has drawn from, and that cannot be used any more. */
  async function withSpoiledStore(spoil: (file: string) => Promise<void>) {
    const stage = await setStage(host, tenCents, priced);
    await stage.sandbox.writeUserConfig({ cost: { max: 5, per: "day" }, turns: 1 });
    await stage.print("Go.");
    for (const rest of ["-wal", "-shm"]) await rm(storeOf(stage) + rest, { force: true });
    await spoil(storeOf(stage));
    return stage;
  }

  test.for([...spoiled, ...lost])(
    "a store that is $what stops a run that nobody can be asked about [LostStoreStops]",
    async ({ spoil }) => {
      await using stage = await withSpoiledStore(spoil);
      const { code, stderr } = await stage.print("Go.");
      expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 1 });
      expect(stderr).toContain("turn-limit.sqlite");
    },
  );

  test.for(spoiled)(
    "of a store that is $what one is told to move it away, and that is enough",
    async ({ spoil }) => {
      await using stage = await withSpoiledStore(spoil);
      const { stderr } = await stage.print("Go.");
      expect(stderr).toMatch(/turn-limit\.sqlite (is|belongs) .*\. To start from nothing, move it away\./);
      await rename(storeOf(stage), `${storeOf(stage)}.old`);
      const after = await stage.print("Go.");
      expect(after.stderr).not.toContain("turn-limit.sqlite");
      expect(stage.model.requests).toHaveLength(2);
    },
  );

  test.for([...spoiled, ...lost])(
    "a store that is $what is asked about, and with a yes the session counts alone [LostStoreAsks] [GoesOnAlone]",
    async ({ spoil }) => {
      await using stage = await withSpoiledStore(spoil);
      const pi = await stage.rpc();
      await pi.prompt("Go.");
      const question = await pi.nextDialog();
      expect(question).toMatchObject({ message: expect.stringContaining("turn-limit.sqlite") });
      pi.answer(question, yes);
      pi.answer(await pi.nextDialog(), no);
      await pi.settled();
      expect(stage.model.requests).toHaveLength(2);
    },
  );

  test("a store that is emptied while a session draws from it is asked about [LostStoreAsks]", async () => {
    const done = withUsage({ promptTokens: 100_000, completionTokens: 0 }, says("Done."));
    await using stage = await setStage(host, () => done, priced);
    const pi = await stage.rpc({ args: ["--max-cost", "$5 per day"] });
    await pi.prompt("One.");
    await pi.settled();
    await writeFile(storeOf(stage), "");
    await pi.prompt("Two.");
    expect(await pi.nextDialog()).toMatchObject({ message: expect.stringContaining("turn-limit.sqlite") });
    expect(stage.model.requests).toHaveLength(1);
  });

  test("what is said of an emptied store is enough to start from nothing", async () => {
    await using stage = await withSpoiledStore((file) => writeFile(file, ""));
    const { stderr } = await stage.print("Go.");
    const [, mark = ""] = /To start from nothing, delete (\S+)\./.exec(stderr) ?? [];
    await rm(mark);
    const { stderr: then } = await stage.print("Go.");
    expect(then).not.toContain("turn-limit.sqlite");
    expect(stage.model.requests).toHaveLength(2);
  });

  test("rows that were deleted from the store are told once, of a session, too", async () => {
    await using stage = await setStage(host, tenCents, priced);
    const args = ["--max-turns", "1, 5 per session, 6 per day"];
    await stage.print("Go.", { args, session: true });
    inStore(storeOf(stage), "DELETE FROM entries; DELETE FROM heads");
    const go = () => stage.print("Go on.", { args: [...args, "--continue"], session: true });
    const { stderr } = await go();
    expect(stderr).toContain("turn-limit.sqlite has lost what was used so far");
    expect(stage.model.requests).toHaveLength(1);
    const { stderr: then } = await go();
    expect(then).not.toContain("turn-limit.sqlite");
    expect(stage.model.requests).toHaveLength(2);
  });

  test("with turns alone, no store is made", async () => {
    await using stage = await setStage(host, tenCents, priced);
    await stage.print("Go.", { args: ["--max-turns", "2"] });
    expect(existsSync(storeOf(stage))).toBe(false);
  });
});
