import { bash, calls, deferred, endsAfter, slow } from "@turn-limit/rig";
import { test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { salvage, worksUntilToolsFree } from "../helpers/salvage.ts";
import { setStage } from "../helpers/stage.ts";
import { commandFor, delegates, hasTask, startsPi, subAgentRequests, TASK } from "../helpers/sub-agents.ts";
import { no } from "../helpers/talk.ts";

onEachHost((host) => {
  test("a sub-agent that outlives the Pi that started it shares its budget with its own sub-agents [SubAgentJoins]", async ({
    expect,
  }) => {
    const deeper = "Look deeper.";
    const ended = deferred();
    const works = worksUntilToolsFree();
    const inBackground = bash(`setsid ${commandFor(host)} > /dev/null 2>&1 &`);
    const starts = calls(startsPi(host, { task: deeper }));
    const script = delegates(calls(inBackground), ({ toolNames }) =>
      slow(toolNames.length === 0 ? salvage : starts, ended.promise),
    );
    await using stage = await setStage(
      host,
      (request) => (hasTask(request, deeper) ? works(request) : script(request)),
      { installed: [], modelCost: { input: 100 } },
    );
    const first = await stage.rpc({ args: ["--max-cost", "$0.06"] });
    await first.prompt("Go.");
    await first.settled();
    await expect.poll(() => subAgentRequests(stage).length).toBe(1);
    await first[Symbol.asyncDispose]();
    ended.resolve();
    await expect.poll(() => subAgentRequests(stage).length, { timeout: 30_000 }).toBe(2);
    // Two cents are the first Pi's, one is the sub-agent's, and three are left. Each ends with an answer without tools.
    const ofDeepest = stage.model.requests.filter((request) => hasTask(request, deeper));
    expect(ofDeepest.map(({ toolNames }) => toolNames.length > 0)).toEqual([true, true, true, false]);
    expect(subAgentRequests(stage).map(({ toolNames }) => toolNames.length > 0)).toEqual([true, false]);
  });
});

onNewestHost((host) => {
  test("the question of a sub-agent that works on in the background is shown in the next session", async ({
    expect,
  }) => {
    const inBackground = bash(`setsid ${commandFor(host, { flags: "--max-turns 1" })} > /dev/null 2>&1 &`);
    const released = deferred();
    const works = worksUntilToolsFree();
    const script = delegates(calls(inBackground), async (request) =>
      slow(await works(request), released.promise),
    );
    await using stage = await setStage(host, script, { installed: [] });
    const pi = await stage.rpc();
    await pi.prompt("Go.");
    await pi.settled();
    await expect.poll(() => subAgentRequests(stage).length).toBe(1);
    await pi.send({ type: "new_session" });
    released.resolve();
    const question = await pi.nextDialog();
    expect(question.title).toBe(`Sub-agent "${TASK}": turn limit reached`);
    pi.answer(question, no);
    await expect.poll(() => subAgentRequests(stage).length).toBe(2);
    expect(subAgentRequests(stage)[1]?.toolNames).toEqual([]);
  });

  test("after a reload, the sub-agents at work still draw from the prompt's budget", async ({ expect }) => {
    const released = deferred();
    const worksOn = endsAfter(3);
    const starts = calls(startsPi(host));
    await using stage = await setStage(
      host,
      async (request) => {
        const isAgents = hasTask(request, TASK);
        const reply = await worksOn(request);
        if (isAgents && subAgentRequests(stage).length === 2) return slow(reply, released.promise);
        if (isAgents) return reply;
        return stage.model.requests.length === 1 ? starts : calls(bash(`echo ${request.index}`));
      },
      { installed: ["travels"], modelCost: { input: 100 } },
    );
    // Three cents are the sub-agent's.
    const pi = await stage.rpc({ args: ["--max-cost", "$0.06"] });
    await pi.prompt("Go.");
    await expect.poll(() => subAgentRequests(stage).length).toBe(2);
    await pi.prompt("/load-again");
    released.resolve();
    expect(await pi.nextDialog()).toMatchObject({
      title: "Cost limit reached\nYou've spent $0.06 of $0.06. Continue?",
    });
    expect(stage.model.requests).toHaveLength(6);
    expect(subAgentRequests(stage)).toHaveLength(3);
  });
});
