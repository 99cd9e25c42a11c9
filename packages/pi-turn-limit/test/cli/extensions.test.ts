import { join } from "node:path";
import { bash, calls, type Script } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { sqliteStore } from "../../../turn-limit/src/pools/stores/sqlite/index.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, tell, work, yes } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";

/** Writes this to a file, turn by turn, and never finishes. */
function writing(contents: (turn: number) => string): Script {
  let turn = 0;
  return () => {
    turn += 1;
    return calls(bash(`echo ${contents(turn)} > work.txt`));
  };
}

onEachHost((host) => {
  test("a run that changes files goes on for another round without a question, so often and no more [LimitExtended]", async () => {
    await using stage = await setStage(host, writing(String));
    const pi = await stage.rpc({ maxTurns: "2 extend 1" });
    answerInTurn(pi, yes, no);
    await work(pi, "Go.");
    const question = "Turn limit reached: You've used 2 turns. Extended 1×: 1 file changed. Continue?";
    // A yes starts over how often it is extended.
    expect(questions(pi)).toEqual([question, question]);
    expect(stage.model.requests).toHaveLength(8);
    const extended = { message: "Turn limit extended 1×: 1 file changed.", type: "info" };
    expect(pi.notifications.slice(0, 2)).toEqual([extended, extended]);
  });

  test("changing a file back and forth is no progress: the run is stopped at its first boundary [NoProgress]", async () => {
    await using stage = await setStage(
      host,
      writing((turn) => (turn % 2 ? "one" : "other")),
    );
    const pi = await stage.print("Go.", { maxTurns: "4 extend 3" });
    expect(stage.model.requests).toHaveLength(4);
    expect(pi.stderr).toContain("Turn limit reached (4/4).");
    expect(pi.stderr).not.toContain("extended");
  });
});

onNewestHost((host) => {
  test("in print mode it says what was extended, and in the reason why it ended", async () => {
    await using stage = await setStage(host, writing(String));
    const pi = await stage.print("Go.", { maxTurns: "2 stop extend 2 by 1" });
    expect(stage.model.requests).toHaveLength(4);
    expect(pi.stderr).toContain("Turn limit extended 2×: 1 file changed.\n");
    expect(pi.stderr).toContain("Turn limit reached (1/1 · extended 2×: 1 file changed).");
  });

  test("what was extended is kept in the person's store, with what they decided [GrantIsKept]", async () => {
    await using stage = await setStage(host, writing(String));
    await stage.print("Go.", { maxTurns: "2 stop extend 2 by 1" });
    expect(stage.model.requests).toHaveLength(4);
    const store = sqliteStore(join(stage.sandbox.agentDir, "turn-limit.sqlite"));
    try {
      const round = { limit: "turns", identity: { kind: "turns" }, by: 1, what: "1 file changed" };
      expect((await store.grants()).map(({ did, where, round }) => ({ did, where, round }))).toEqual(
        [1, 2].map((times) => ({ did: "round", where: "by itself", round: { ...round, times } })),
      );
    } finally {
      await store.close();
    }
  });

  test("a command says whether the run gets somewhere, where the person's settings have one", async () => {
    await using stage = await setStage(
      host,
      writing((turn) => `${Math.min(turn, 3)}`),
    );
    const progress = "cat work.txt 2>/dev/null || echo 0";
    await stage.sandbox.writeUserConfig({ turns: { max: 1, extend: 9 }, progress });
    const pi = await stage.print("Go.", { beside });
    expect(stage.model.requests).toHaveLength(4);
    expect(pi.stderr).toContain("Turn limit extended 3×: 3, up from 2.\n");
    const extensions = [{ limit: "turns", times: 3, what: "3, up from 2" }];
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "stopped", turns: 4, extensions, summary: expect.stringContaining("turns extended 3×") },
    ]);
  });

  test("the command of a limit takes an extension, and refuses what is none", async () => {
    await using stage = await setStage(host, writing(String));
    const pi = await stage.rpc();
    expect((await tell(pi, "/turn-limit 25 extend 3 by 10")).message).toBe(
      "Turn limit set to 25 extend 3 by 10.",
    );
    expect((await tell(pi, "/turn-limit 25 extend")).message).toBe(
      "Invalid turn limit. extend needs how often, a whole number of 0 or more.",
    );
    expect((await tell(pi, "/turn-limit 25 per day extend 3")).message).toContain(
      "A limit per day has no extend.",
    );
    expect((await tell(pi, "/step-limit 25 extend 3")).message).toContain("Invalid step limit.");
  });

  test("an extension of turns passes no limit of the session", async () => {
    await using stage = await setStage(host, writing(String));
    const pi = await stage.print("Go.", { maxTurns: "2 extend 9, 3 per session" });
    expect(stage.model.requests).toHaveLength(3);
    expect(pi.stderr).toContain("Turn limit extended 1×: 1 file changed.\n");
    expect(pi.stderr).toContain("Turn limit per session reached (3/3).");
  });
});
