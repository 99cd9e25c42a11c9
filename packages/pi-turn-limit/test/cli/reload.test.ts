import { bash, calls, endless, says, sequence } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { answering, choose } from "../helpers/menu.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, tell, work, yes } from "../helpers/talk.ts";

const beside = ["travels", "records-limit-events"];
const OUTCOME = "turn-limit:outcome";

onEachHost((host) => {
  test("reloaded while the question is open, the held turn does not begin and the run is over [RunEndsUnanswered]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 1, beside });
    await pi.prompt("One.");
    const question = await pi.nextDialog();
    const settled = pi.settled();
    await pi.prompt("/load-again");
    await settled;
    pi.answer(question, yes);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "aborted", turns: 1 }]);
    await pi.prompt("Two.");
    pi.answer(await pi.nextDialog(), no);
    await pi.settled();
    expect(stage.model.requests).toHaveLength(2);
  });

  test("reloaded while the time runs, the extension holds the rest of it", async () => {
    await using stage = await setStage(host, () => calls(bash("sleep 600")));
    const pi = await stage.rpc({ args: ["--max-time", "2s"], beside });
    pi.onDialog(() => no);
    await pi.prompt("Go.");
    await pi.waitFor(({ type }) => type === "tool_execution_start");
    const settled = pi.settled();
    await pi.prompt("/load-again");
    await settled;
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "declined", limit: "time", turns: 1 }]);
  });

  test("a no stands when the session goes to another point of its tree [DeclineStands]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 1, beside: [...beside, "goes-on-after-reload"] });
    answerInTurn(pi, no);
    await work(pi, "Go.");
    const { data } = await pi.send({ type: "get_fork_messages" });
    const { messages } = data as { messages: { entryId: string }[] };
    await tell(pi, `/go-back ${messages[0]?.entryId}`);
    await pi.waitFor(() => pi.notifications.some(({ message }) => message.startsWith("Out of budget")));
    expect(questions(pi)).toHaveLength(1);
    expect(stage.model.requests).toHaveLength(1);
  });
});

onNewestHost((host) => {
  test("reloaded while the person is asked about the time, the extension asks again", async () => {
    await using stage = await setStage(host, () => calls(bash("sleep 600")));
    const pi = await stage.rpc({ args: ["--max-time", "1s"], beside });
    await pi.prompt("Go.");
    const lost = await pi.nextDialog();
    await pi.prompt("/load-again");
    const again = await pi.nextDialog();
    pi.answer(lost, yes);
    pi.answer(again, no);
    await pi.settled();
    expect(questions(pi)).toHaveLength(2);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "declined", limit: "time" }]);
  });

  test("reloaded after what was under way was cut off, the run still ends with an answer without tools", async () => {
    const slowToAbort = 'trap "sleep 1; exit 1" TERM; sleep 600 & wait';
    const script = sequence([calls(bash(slowToAbort))], () => says("What I know."));
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ args: ["--max-time", "2s synthesize"], beside });
    await pi.prompt("Go.");
    await pi.waitFor(() => pi.notifications.some(({ message }) => message.includes("one last answer")));
    await pi.prompt("/load-again");
    // What was cut off comes to rest, and then the answer.
    await pi.waitFor(() => pi.events.filter(({ type }) => type === "agent_settled").length === 2);
    expect(stage.model.requests).toHaveLength(2);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "salvaged", limit: "time" }]);
  });

  test("a no stands over a reload: what a program sends afterwards asks nothing again [DeclineStands]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 1, beside: [...beside, "goes-on-after-reload"] });
    answerInTurn(pi, no);
    await work(pi, "Go.");
    await pi.prompt("/load-again");
    await pi.waitFor(() => pi.notifications.some(({ message }) => message.startsWith("Out of budget")));
    expect(questions(pi)).toHaveLength(1);
    expect(stage.model.requests).toHaveLength(1);
  });

  test("no limit for this run is that over a reload, too", async () => {
    const script = sequence([calls(bash("true")), calls(bash("sleep 3")), calls(bash("true"))], () =>
      says("Done."),
    );
    await using stage = await setStage(host, script);
    await stage.sandbox.writeUserConfig({ turns: 1, boundary: "menu" });
    const pi = await stage.rpc({ beside });
    const asked = answering(pi, choose("No limit for this run"));
    const settled = pi.settled();
    await pi.prompt("Go.");
    await pi.waitFor(() => stage.model.requests.length === 2);
    await pi.prompt("/load-again");
    await settled;
    expect(asked).toHaveLength(1);
    expect(stage.model.requests).toHaveLength(4);
  });
});
