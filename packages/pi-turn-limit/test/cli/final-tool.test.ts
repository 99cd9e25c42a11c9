import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { calls, type Reply, type Script } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leaves } from "../helpers/executed.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { salvage } from "../helpers/salvage.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { questions, work } from "../helpers/talk.ts";

const beside = ["submits", "records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const settings = { turns: { max: 2, onExhausted: "synthesize" }, finalTool: "submit" };

const submits = (found: string) => ({ name: "submit", arguments: { found } });

/** Works for as long as it has other tools, and answers like this in the last turn. */
const inTheLastTurn =
  (reply: Reply): Script =>
  ({ index, toolNames }) =>
    toolNames.includes("bash") ? calls(leaves(`${index}`)) : reply;

const offersOnlySubmit = (stage: Stage): boolean[] =>
  stage.model.requests.map(({ toolNames }) => toolNames.join() === "submit");

async function submitted(stage: Stage): Promise<string[]> {
  const text = await readFile(join(stage.sandbox.projectDir, "submitted.txt"), "utf8").catch(() => "");
  return text.split("\n").filter(Boolean);
}

onEachHost((host) => {
  test.for([
    { ends: "the tool ends the run", env: { SUBMIT_ENDS: "1" } },
    { ends: "the tool does not end the run", env: {} },
  ])(
    "the last turn has the final tool alone, and its call is the answer: $ends [LastTurnByFinalTool] [FinalToolDelivers]",
    async ({ env }) => {
      await using stage = await setStage(host, inTheLastTurn(calls(submits("half of it"))));
      await stage.sandbox.writeUserConfig(settings);
      const { code, stderr } = await stage.print("Go.", { beside, env });
      expect(offersOnlySubmit(stage)).toEqual([false, false, true]);
      expect(stage.model.requests.at(-1)?.lastUserText).toContain(
        '"submit" is the only tool that you have left',
      );
      expect([await executed(stage), await submitted(stage)]).toEqual([["1", "2"], ["half of it"]]);
      expect(await recorded(stage, OUTCOME)).toMatchObject([
        { outcome: "salvaged", limit: "turns", turns: 3, steps: 2 },
      ]);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: "Turn limit reached (2/2): one last answer, without tools.\n",
      });
    },
  );

  test("a call beside it is not run, and nothing is asked again [StepRefusedAfterExhaustion]", async () => {
    const both = inTheLastTurn(calls(leaves("beside"), submits("half of it"), submits("again")));
    await using stage = await setStage(host, both);
    await stage.sandbox.writeUserConfig(settings);
    const { code } = await stage.print("Go.", { beside });
    expect(stage.model.requests).toHaveLength(3);
    expect([await executed(stage), await submitted(stage)]).toEqual([["1", "2"], ["half of it"]]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "salvaged", steps: 2 }]);
    expect(code).toBe(0);
  });

  test("an answer that is not accepted is none, and is not asked for again [FailedAnswerIsNone] [SynthesisNeverRepeats]", async () => {
    await using stage = await setStage(host, inTheLastTurn(calls(submits("bad"))));
    await stage.sandbox.writeUserConfig(settings);
    const { code } = await stage.print("Go.", { beside });
    expect(stage.model.requests).toHaveLength(3);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "turns" }]);
    expect(code).toBe(1);
  });
});

onNewestHost((host) => {
  test("a model that is told to wrap up in the last turn does so with it, and nobody is asked [DeliveredAtBoundary]", async () => {
    const script: Script = ({ index }) => calls(index < 3 ? leaves(`${index}`) : submits("all of it"));
    await using stage = await setStage(host, script);
    await stage.sandbox.writeUserConfig({ turns: { max: 3, grace: 1 }, finalTool: "submit" });
    const pi = await stage.rpc({ beside });
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(3);
    expect(stage.model.requests.at(-1)?.lastUserText).toContain('by calling "submit"');
    expect([await submitted(stage), questions(pi)]).toEqual([["all of it"], []]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "wrapped-up", turns: 3, steps: 2 }]);
  });

  test("its call is no step [FinalToolDelivers]", async () => {
    const script: Script = ({ index }) => (index === 1 ? calls(leaves("1")) : calls(submits("all of it")));
    await using stage = await setStage(host, script);
    await stage.sandbox.writeUserConfig({ steps: { max: 1, onExhausted: "stop" }, finalTool: "submit" });
    const { code } = await stage.print("Go.", { beside, env: { SUBMIT_ENDS: "1" } });
    expect([stage.model.requests.length, await submitted(stage), code]).toEqual([2, ["all of it"], 0]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 2, steps: 1 }]);
  });

  test("without that tool the last turn has none, and says so [LastTurnByFinalTool]", async () => {
    await using stage = await setStage(host, inTheLastTurn(salvage));
    await stage.sandbox.writeUserConfig(settings);
    const { stdout } = await stage.print("Go.", { beside: ["records-limit-events"] });
    expect(stage.model.requests.at(-1)?.toolNames).toEqual([]);
    expect(stage.model.requests.at(-1)?.lastUserText).toContain("you have no tools any more");
    expect(stdout).toBe("What I know.\n");
  });

  test("a name that is none is refused, and a project cannot name one", async () => {
    await using stage = await setStage(host, inTheLastTurn(salvage));
    await stage.sandbox.writeUserConfig({ ...settings, finalTool: 5 });
    await stage.sandbox.writeProjectConfig({ finalTool: "bash" });
    const { stderr } = await stage.print("Go.", { beside });
    expect(stderr).toContain('"finalTool": Invalid final tool. Use the name of a tool, not 5.');
    expect(stderr).toContain('"finalTool" is not a setting.');
    expect(stage.model.requests.at(-1)?.toolNames).toEqual([]);
  });
});
