import { appendFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bash, calls, type ModelRequest, type Script, says, turnOf } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { breakBuild, countsNoTurns } from "../helpers/broken-build.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { questions, yes } from "../helpers/talk.ts";

const beside = ["records-limit-events", "keeps-the-cache-warm"];
const OUTCOME = "turn-limit:outcome";
// Pi refreshes a cache ten seconds before it is lost: here every half second.
const cached = { modelCost: { input: 1_000 }, cacheSeconds: 10.5 };

/** With such a request Pi keeps a prompt in the provider's cache, so it wants no more than one token back. */
function isRefresh({ body }: ModelRequest): boolean {
  return body.max_completion_tokens === 1;
}

function sent({ model }: Stage): { turns: number; refreshes: number } {
  const refreshes = model.requests.filter(isRefresh).length;
  return { turns: model.requests.length - refreshes, refreshes };
}

interface Work extends AsyncDisposable {
  readonly script: Script;
}

/** Calls a tool until the turn that is the last. Each waits until the cache was refreshed once more. */
async function works(turns: number, { waits = true } = {}): Promise<Work> {
  const folder = await mkdtemp(join(tmpdir(), "cache-warming-"));
  const refreshes = join(folder, "refreshes");
  appendFileSync(refreshes, "");
  const waitsFor = (many: number) => `until [ $(wc -l < '${refreshes}') -ge ${many} ]; do sleep 0.1; done`;
  return {
    script: (request) => {
      if (isRefresh(request)) {
        appendFileSync(refreshes, "refreshed\n");
        return says("N");
      }
      const turn = turnOf(request);
      return turn < turns ? calls(bash(waits ? waitsFor(turn) : "true")) : says("Done.");
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

onEachHost((host) => {
  test("the requests with which Pi keeps the prompt cached while a tool works are no turns", async () => {
    await using work = await works(2);
    await using stage = await setStage(host, work.script, cached);
    const { code, stdout, stderr } = await stage.print("Go.", { maxTurns: 2, beside });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
    expect(sent(stage)).toEqual({ turns: 2, refreshes: expect.any(Number) });
    expect(sent(stage).refreshes).toBeGreaterThan(0);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 2 }]);
  });
});

onNewestHost((host) => {
  test("the requests with which Pi keeps the prompt cached while a person thinks about the question are no turns", async () => {
    await using work = await works(2, { waits: false });
    await using stage = await setStage(host, work.script, cached);
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
    await using work = await works(9);
    await using stage = await setStage(host, work.script, cached);
    const { code } = await stage.print("Go.", { build: build.path, maxTurns: 2, beside });
    expect(sent(stage)).toEqual({ turns: 2, refreshes: expect.any(Number) });
    expect(sent(stage).refreshes).toBeGreaterThan(1);
    expect(code).toBe(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "limit-overrun" }]);
  });
});
