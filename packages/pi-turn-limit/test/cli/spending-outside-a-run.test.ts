import { setTimeout as pause } from "node:timers/promises";
import { bash, calls, type Reply, type Script, says, withUsage } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { no, tell, work } from "../helpers/talk.ts";

const compaction = { enabled: true, reserveTokens: 1_000, keepRecentTokens: 1 };
const furnishing = { settings: { compaction }, contextWindow: 50_000, modelCost: { input: 10 } };

const dime = { promptTokens: 10_000, completionTokens: 0 };
/** So much that Pi compacts before the next request: for 49.5 cents. */
const full = { promptTokens: 49_500, completionTokens: 0 };
const working = calls(bash("echo working"));

type Answer = Parameters<typeof withUsage>[1];

/** Each request for a summary costs ten cents. The turns follow the script, which is told which turn it is. */
function withSummaries(onTurn: (turn: number) => Reply): Script {
  let turn = 0;
  return (request) => (isSummary(request) ? withUsage(dime, says("A summary.") as Answer) : onTurn(++turn));
}

/** A request for a summary offers the model no tools. */
function isSummary({ toolNames }: { toolNames: readonly string[] }): boolean {
  return toolNames.length === 0;
}

function counted({ model }: Stage): { turns: number; summaries: number } {
  const summaries = model.requests.filter(isSummary).length;
  return { turns: model.requests.length - summaries, summaries };
}

/** What `/limits` says of the limit per day. */
async function usedToday(stage: Stage, args: readonly string[]): Promise<string | undefined> {
  const pi = await stage.rpc({ args: [...args] });
  await pi.send({ type: "get_state" });
  for (;;) {
    const { message } = await tell(pi, "/limits");
    const used = /Cost per day +(\S+)/.exec(message)?.[1];
    if (used !== "$0.00") return used;
    await pause(50);
  }
}

/** The first message of a session's tree. */
async function firstEntry(pi: Awaited<ReturnType<Stage["rpc"]>>): Promise<string> {
  const { data } = await pi.send({ type: "get_tree" });
  const { tree } = data as { tree: { entry: { id: string; type: string } }[] };
  let [node] = tree as { entry: { id: string; type: string }; children: never[] }[];
  while (node && node.entry.type !== "message") [node] = node.children;
  return node?.entry.id ?? "";
}

const perDay = ["--max-cost", "$5 per day"];

onEachHost((host) => {
  test("a compaction that a person asks for counts for the day [SpendingOutsideRunCounts]", async () => {
    await using stage = await setStage(
      host,
      withSummaries(() => withUsage(dime, says("Done."))),
      furnishing,
    );
    const pi = await stage.rpc({ args: perDay });
    await work(pi, "Go.");
    expect(await pi.send({ type: "compact" })).toMatchObject({ success: true });
    const { turns, summaries } = counted(stage);
    await pi.close();
    expect(await usedToday(stage, perDay)).toBe(`$0.${turns + summaries}0`);
  });

  test("a compaction whose summary has the text of an earlier one counts at its own price [SpendingOutsideRunCounts]", async () => {
    // The first summary of a session is of another form than those after it, which have the same text.
    let cents = 10;
    let spent = 0;
    await using stage = await setStage(
      host,
      (request) => {
        if (!isSummary(request)) return withUsage(dime, says("Done."));
        spent += cents;
        return withUsage({ ...dime, promptTokens: cents * 1_000 }, says("A summary."));
      },
      furnishing,
    );
    const pi = await stage.rpc({ args: perDay });
    for (const price of [10, 20, 40]) {
      cents = price;
      await work(pi, "Go.");
      expect(await pi.send({ type: "compact" })).toMatchObject({ success: true });
    }
    await pi.close();
    const inAll = counted(stage).turns * 10 + spent;
    expect(await usedToday(stage, perDay)).toBe(`$${(inAll / 100).toFixed(2)}`);
  });

  test("a compaction before the first turn counts for the prompt that caused it", async () => {
    const script = withSummaries((turn) =>
      withUsage(turn === 1 ? full : dime, turn === 1 ? says("Done.") : working),
    );
    await using stage = await setStage(host, script, furnishing);
    const pi = await stage.rpc({ args: ["--max-cost", "$0.50"] });
    await pi.send({ type: "set_auto_compaction", enabled: false });
    await work(pi, "One.");
    await pi.send({ type: "set_auto_compaction", enabled: true });
    expect(counted(stage)).toEqual({ turns: 1, summaries: 0 });
    await pi.prompt("Two.");
    const question = await pi.nextDialog();
    const { turns, summaries } = counted(stage);
    expect(summaries).toBeGreaterThan(0);
    expect({ turns, title: question.title }).toEqual({
      turns: 1 + 5 - summaries,
      title: "Cost limit reached\nYou've spent $0.50 of $0.50. Continue?",
    });
    pi.answer(question, no);
  });

  test("the summary of a branch counts for the day [SpendingOutsideRunCounts]", async () => {
    await using stage = await setStage(
      host,
      withSummaries(() => withUsage(dime, says("Done."))),
      furnishing,
    );
    const pi = await stage.rpc({ args: perDay, beside: ["travels"] });
    await work(pi, "One.");
    await work(pi, "Two.");
    await tell(pi, `/go-back-with-summary ${await firstEntry(pi)}`);
    expect(counted(stage)).toEqual({ turns: 2, summaries: 1 });
    await pi.close();
    expect(await usedToday(stage, perDay)).toBe("$0.30");
  });

  test("no compaction is paid for between the last turn and the limit that stops the run", async () => {
    await using stage = await setStage(
      host,
      withSummaries((turn) => withUsage(turn === 2 ? full : dime, working)),
      furnishing,
    );
    const { code } = await stage.print("Go.", { maxTurns: "2 stop" });
    expect({ code, ...counted(stage) }).toEqual({ code: 1, turns: 2, summaries: 0 });
  });
});

onNewestHost((host) => {
  test.for([
    ["a limit of the run", "$0.50"],
    ["a limit per day", "$0.50 per day"],
  ])("no compaction is paid for once %s is used up and stops the run", async ([, maximum = ""]) => {
    await using stage = await setStage(
      host,
      withSummaries((turn) => withUsage(turn === 2 ? full : dime, working)),
      furnishing,
    );
    const { code } = await stage.print("Go.", { args: ["--max-cost", `${maximum} stop`] });
    expect({ code, ...counted(stage) }).toEqual({ code: 1, turns: 2, summaries: 0 });
  });

  test("no compaction is paid for before a prompt that a limit per day stops", async () => {
    await using stage = await setStage(
      host,
      withSummaries(() => withUsage(full, working)),
      furnishing,
    );
    const args = ["--max-cost", "$0.40 per day stop"];
    await stage.print("One.", { args, session: true });
    expect(counted(stage)).toEqual({ turns: 1, summaries: 0 });
    const { code } = await stage.print("Two.", { args: [...args, "--continue"], session: true });
    expect({ code, ...counted(stage) }).toEqual({ code: 1, turns: 1, summaries: 0 });
  });

  test("a compaction that a person asks for after a stop is made", async () => {
    await using stage = await setStage(
      host,
      withSummaries(() => withUsage(dime, working)),
      furnishing,
    );
    const pi = await stage.rpc({ maxTurns: "2 stop" });
    await work(pi, "Go.");
    expect(await pi.send({ type: "compact" })).toMatchObject({ success: true });
    expect(counted(stage)).toMatchObject({ turns: 2 });
  });
});
