import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  bash,
  calls,
  type DialogAnswer,
  endless,
  endsAfter,
  type RpcPi,
  type Script,
  says,
  sequence,
  turnOf,
} from "@turn-limit/rig";
import { expect, test } from "vitest";
import { exampleOf } from "../helpers/examples.ts";
import { onEachHost, onEachTerminal, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, work, yes } from "../helpers/talk.ts";

const ours = "Turn limit reached: You've used 3 turns. Continue?";

/** Answers dialogs of other extensions by their titles; a question of ours is answered with a no. */
function answersTo(pi: RpcPi, answers: Record<string, DialogAnswer[]>): void {
  pi.onDialog(({ title }) => (title.startsWith("Turn limit") ? no : answers[title]?.shift()));
}

async function settles(pi: RpcPi, times: number): Promise<void> {
  for (let run = 0; run < times; run++) await pi.waitFor(({ type }) => type === "agent_settled");
}

/** As terminals with the kitty protocol send it. */
const ENTER_WITH_NUM_LOCK = "\x1b[13;129u";

const plan = "Plan:\n1. Look at the files\n2. Change the files\n";
/** Plans in two turns. Plan mode then sends two messages, of which the first takes one turn and the second two. */
const plansAndActs = sequence([
  calls(bash("ls")),
  says(plan),
  says("Noted."),
  calls(bash("ls")),
  says("Done as told."),
]);

onEachHost((host) => {
  const sends = exampleOf(host, "send-user-message.ts");
  const planMode = exampleOf(host, "plan-mode/index.ts");

  test("a command that a person types, and that sends a message, is a prompt of theirs [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.rpc({ maxTurns: 3, beside: [sends] });
    for (let time = 1; time <= 4; time++) await work(pi, `/ask Number ${time}.`);
    expect(questions(pi)).toEqual([]);
    expect(stage.model.requests).toHaveLength(12);
  });

  test("a command is the person's for as long as it works, also an hour [PersonActsThroughExtension]", async () => {
    // What is given with `-e` is loaded before what is installed.
    await using stage = await setStage(host, endsAfter(3), { installed: [] });
    const pi = await stage.rpc({ maxTurns: 3, beside: ["works-then-asks"] });
    answersTo(pi, {});
    for (let time = 1; time <= 3; time++) await work(pi, `/study Number ${time}.`);
    expect(questions(pi)).toEqual([]);
    expect(stage.model.requests).toHaveLength(9);
  });

  test("a follow-up that a person queues by a command is a prompt of theirs when it is delivered [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.rpc({ maxTurns: 3, beside: [sends] });
    await pi.prompt("Go.");
    await pi.waitFor(({ type }) => type === "turn_start");
    await work(pi, "/followup And then?");
    expect(questions(pi)).toEqual([]);
    expect(stage.model.requests).toHaveLength(6);
  });

  test.for([
    { choice: "Execute the plan (track progress)", more: {} },
    { choice: "Refine the plan", more: { "Refine the plan:": [{ value: "Make it shorter." }] } },
  ])(
    "$choice: a choice in another extension's dialog is a prompt of the person [PersonActsThroughExtension]",
    async ({ choice, more }) => {
      await using stage = await setStage(host, plansAndActs);
      const pi = await stage.rpc({ maxTurns: 3, beside: [planMode], args: ["--plan"] });
      answersTo(pi, {
        "Plan mode - what next?": [{ value: choice }, { value: "Stay in plan mode" }],
        ...more,
      });
      await pi.prompt("Make a plan.");
      await pi.waitFor(() => stage.model.requests.length === 5);
      await pi.waitFor(({ type }) => type === "agent_settled");
      expect(questions(pi)).toEqual([]);
      expect(stage.model.requests).toHaveLength(5);
    },
  );
});

onNewestHost((host) => {
  const sends = exampleOf(host, "send-user-message.ts");

  test("a command that sends a message is a prompt after a no, too [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 3, beside: [sends] });
    answerInTurn(pi, no, no);
    await work(pi, "Go.");
    await work(pi, "/ask Once more.");
    expect(questions(pi)).toEqual([ours, ours]);
    expect(stage.model.requests).toHaveLength(6);
  });

  test("a message that a person steers by a command refreshes nothing", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 3, beside: [sends] });
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await pi.waitFor(({ type }) => type === "turn_start");
    await work(pi, "/steer Rather so.");
    expect(questions(pi)).toEqual([ours]);
    expect(stage.model.requests).toHaveLength(3);
  });

  test("one command is one prompt: what an extension sends by itself afterwards refreshes nothing [PersonActsThroughExtension] [ProgramContinues]", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.rpc({
      maxTurns: 3,
      beside: [sends, "continues"],
      env: { AUTO_CONTINUE_TIMES: "2" },
    });
    answerInTurn(pi, no);
    await pi.prompt("/ask Go.");
    await settles(pi, 2);
    expect(questions(pi)).toEqual([ours]);
    expect(stage.model.requests).toHaveLength(3);
  });

  test.for(["/turn-limit", "/limits", "/wrap-up"])(
    "%s is no prompt, and lets no extension go on [PersonActsThroughExtension]",
    async (command) => {
      await using stage = await setStage(host, endless());
      const pi = await stage.rpc({ maxTurns: 2, beside: ["continues"], env: { AUTO_CONTINUE_TIMES: "1" } });
      pi.onDialog(async () => {
        await pi.prompt(command);
        return no;
      });
      await pi.prompt("Go.");
      await pi.waitFor(() => pi.notifications.some(({ message }) => message.includes("was not run")));
      expect(stage.model.requests).toHaveLength(2);
    },
  );

  test("a prompt template that a person types is a prompt of theirs [PersonPrompts]", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const folder = join(stage.sandbox.agentDir, "prompts");
    await mkdir(folder);
    await writeFile(join(folder, "check.md"), "Check everything.");
    const pi = await stage.rpc({ maxTurns: 3 });
    for (let time = 1; time <= 3; time++) await work(pi, "/check");
    expect(stage.model.requests.at(-1)?.lastUserText).toBe("Check everything.");
    expect(questions(pi)).toEqual([]);
    expect(stage.model.requests).toHaveLength(9);
  });

  test("each answer in the dialog of an extension that goes on is an act of the person, once [PersonActs] [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.rpc({
      maxTurns: 2,
      beside: ["asks-then-continues"],
      env: { AUTO_CONTINUE_TIMES: "3" },
    });
    answersTo(pi, { "Go on?": [{ value: "Yes" }, { value: "Yes" }, { cancelled: true }] });
    await pi.prompt("Go.");
    // The third dialog was dismissed, so what follows it is the extension's own doing.
    await pi.waitFor(({ type, title }) => type === "extension_ui_request" && title === "Turn limit reached");
    expect(stage.model.requests).toHaveLength(6);
    expect(questions(pi)).toHaveLength(1);
  });

  test("a dialog that closes by itself is no act of a person [ProgramContinues]", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const env = { AUTO_CONTINUE_TIMES: "1", DIALOG_TIMEOUT: "50" };
    const pi = await stage.rpc({ maxTurns: 3, beside: ["asks-then-continues"], env });
    answersTo(pi, {});
    await pi.prompt("Go.");
    await settles(pi, 2);
    expect(questions(pi)).toEqual([ours]);
    expect(stage.model.requests).toHaveLength(3);
  });

  test("what a person permits during a run does not let an extension go on after it [ActPasses] [ProgramContinues]", async () => {
    const asks: Script = (request) =>
      turnOf(request) === 1 ? calls({ name: "permit", arguments: {} }) : says("Permitted.");
    await using stage = await setStage(host, asks);
    const beside = ["asks-for-permission", "continues"];
    const pi = await stage.rpc({ maxTurns: 3, beside, env: { AUTO_CONTINUE_TIMES: "1" } });
    answersTo(pi, { "May I?": [yes, yes] });
    await pi.prompt("Go.");
    await settles(pi, 2);
    expect(questions(pi).filter((question) => question.startsWith("Turn"))).toEqual([ours]);
    expect(stage.model.requests).toHaveLength(3);
  });
});

await onEachTerminal((host) => {
  const sends = exampleOf(host, "send-user-message.ts");

  test("at a terminal, a command that sends a message is a prompt of the person [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.tui({ maxTurns: 3, beside: [sends] });
    for (let time = 1; time <= 4; time++) {
      await pi.submit(`/ask Number ${time}.`);
      await stage.model.waitForRequest(3 * time);
      await pi.waitUntilGone("Working");
    }
    expect(await pi.screen()).not.toContain("Turn limit reached");
  });

  test("at a terminal, a choice in another extension's dialog is a prompt of the person [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, plansAndActs);
    const pi = await stage.tui({
      maxTurns: 3,
      beside: [exampleOf(host, "plan-mode/index.ts")],
      args: ["--plan"],
    });
    await pi.submit("Make a plan.");
    await pi.waitFor("what next?");
    await pi.press("Enter");
    expect(await pi.waitFor("Done as told.")).not.toContain("Turn limit reached");
    expect(stage.model.requests).toHaveLength(5);
  });
});

await onNewestTerminal((host) => {
  const sends = exampleOf(host, "send-user-message.ts");

  test("at a terminal, Enter gives a command with Num Lock on, too [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.tui({ maxTurns: 3, beside: [sends] });
    for (let time = 1; time <= 2; time++) {
      await pi.type(`/ask Number ${time}.`);
      await pi.type(ENTER_WITH_NUM_LOCK);
      await stage.model.waitForRequest(3 * time);
      await pi.waitUntilGone("Working");
    }
    expect(await pi.screen()).not.toContain("Turn limit reached");
  });

  test.for([
    { how: "completed by Pi", text: "/skx", keys: ["BSpace", "Enter"] },
    { how: "sent with Alt+Enter", text: "/ask Once more.", keys: ["M-Enter"] },
  ])(
    "at a terminal, a command is the person's: $how [PersonActsThroughExtension]",
    async ({ text, keys }) => {
      await using stage = await setStage(host, endsAfter(3));
      const pi = await stage.tui({ maxTurns: 3, beside: ["asks-by-command"] });
      await pi.submit("Go.");
      await stage.model.waitForRequest(3);
      await pi.waitUntilGone("Working");
      await pi.type(text);
      await pi.waitFor(text);
      await pi.press(...keys.slice(0, -1));
      await pi.waitFor(keys.length > 1 ? "Asks something" : text);
      await pi.press(...keys.slice(-1));
      await stage.model.waitForRequest(6);
      await pi.waitUntilGone("Working");
      expect(await pi.screen()).not.toContain("Turn limit reached");
    },
  );

  test("at a terminal, a dialog that the person dismisses is no act that lets an extension go on [ProgramContinues]", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.tui({
      maxTurns: 2,
      beside: ["asks-then-continues"],
      env: { AUTO_CONTINUE_TIMES: "2" },
    });
    await pi.submit("Go.");
    await pi.waitFor("Go on?");
    await pi.press("Enter");
    await stage.model.waitForRequest(4);
    await pi.waitFor("Go on?");
    await pi.press("Escape");
    await pi.waitFor("Turn limit reached");
    expect(stage.model.requests).toHaveLength(4);
  });
});
