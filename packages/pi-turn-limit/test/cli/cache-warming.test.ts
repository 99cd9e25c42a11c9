import { bash, calls, type ModelRequest, type Script, says, turnOf } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { breakBuild, countsNoTurns } from "../helpers/broken-build.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { questions, yes } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
// Pi refreshes a cache ten seconds before it is lost, if that saves five cents: here every half second.
const cached = { modelCost: { input: 1_000 }, cacheSeconds: 10.5 };

/** With such a request Pi keeps a prompt in the provider's cache, so it wants no more than one token back. */
function isRefresh({ body }: ModelRequest): boolean {
  return body.max_completion_tokens === 1;
}

function sent({ model }: Stage): { turns: number; refreshes: number } {
  const refreshes = model.requests.filter(isRefresh).length;
  return { turns: model.requests.length - refreshes, refreshes };
}

/** Calls a tool that takes longer than a refresh, until the turn that is the last. */
function works(turns: number, seconds: number): Script {
  return (request) => {
    if (isRefresh(request)) return says("N");
    return turnOf(request) < turns ? calls(bash(`sleep ${seconds}`)) : says("Done.");
  };
}

onEachHost((host) => {
  test("the requests with which Pi keeps the prompt cached while a tool works are no turns", async () => {
    await using stage = await setStage(host, works(2, 3), cached);
    const { code, stdout, stderr } = await stage.print("Go.", { maxTurns: 2, beside });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
    expect(sent(stage)).toEqual({ turns: 2, refreshes: expect.any(Number) });
    expect(sent(stage).refreshes).toBeGreaterThan(0);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 2 }]);
  });
});

onNewestHost((host) => {
  test("the requests with which Pi keeps the prompt cached while a person thinks about the question are no turns", async () => {
    await using stage = await setStage(host, works(2, 0), cached);
    const pi = await stage.rpc({ maxTurns: 1, beside });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    const refreshed = await stage.model.waitForRequest(3);
    expect(isRefresh(refreshed)).toBe(true);
    pi.answer(question, yes);
    await pi.settled();
    expect(sent(stage).turns).toBe(2);
    expect(questions(pi)).toHaveLength(1);
    expect(pi.notifications).toEqual([]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 2, rounds: 2 }]);
  });

  test("between them a build that counts no turns is found out anyway", async () => {
    await using build = await breakBuild(countsNoTurns, "");
    await using stage = await setStage(host, works(9, 3), cached);
    const { code } = await stage.print("Go.", { build: build.path, maxTurns: 2, beside });
    expect(sent(stage)).toEqual({ turns: 2, refreshes: expect.any(Number) });
    expect(sent(stage).refreshes).toBeGreaterThan(1);
    expect(code).toBe(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "limit-overrun" }]);
  });
});
