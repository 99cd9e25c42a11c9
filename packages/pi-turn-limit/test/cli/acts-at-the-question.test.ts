import { bash, calls, type Script, says, turnOf } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { exampleOf } from "../helpers/examples.ts";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { no, questions, yes } from "../helpers/talk.ts";

const question = "You've used 2 turns. Continue?";

/** Three turns for the prompt, and two for the follow-up: with a budget of two, only the prompt is asked about. */
const script: Script = (request) => {
  const followsUp = request.lastUserText !== "Go.";
  const turns = followsUp ? 2 : 3;
  if (turnOf(request) < turns) return calls(bash("echo working"));
  return says(followsUp ? "Followed up." : "Done.");
};

onEachHost((host) => {
  test("a command that a person gives at the question is an act of theirs [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 2, beside: [exampleOf(host, "send-user-message.ts")] });
    await pi.prompt("Go.");
    const ours = await pi.nextDialog();
    await pi.prompt("/followup And then?");
    pi.answer(ours, yes);
    await pi.settled();
    expect(questions(pi)).toHaveLength(1);
    expect(stage.model.requests).toHaveLength(5);
  });
});

onNewestHost((host) => {
  test("a choice in another extension's dialog at the question is an act of theirs [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 2, beside: ["picks"] });
    await pi.prompt("Go.");
    const ours = await pi.nextDialog();
    void pi.prompt("/pick");
    pi.answer(await pi.nextDialog(), { value: "pear" });
    await pi.waitFor(({ type }) => type === "queue_update");
    pi.answer(ours, yes);
    await pi.settled();
    expect(questions(pi)).toHaveLength(1);
    expect(stage.model.requests).toHaveLength(5);
  });

  test("the answer to the question is none, and lets no extension go on [ProgramContinues]", async () => {
    await using stage = await setStage(host, () => calls(bash("echo working")));
    const pi = await stage.rpc({ maxTurns: 2, beside: ["continues"], env: { AUTO_CONTINUE_TIMES: "1" } });
    pi.onDialog(() => no);
    await pi.prompt("Go.");
    await pi.waitFor(() => pi.notifications.some(({ message }) => message.includes("was not run")));
    expect(stage.model.requests).toHaveLength(2);
  });
});

await onNewestTerminal((host) => {
  test("at a terminal, a command given at the question is an act of the person [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, script);
    const pi = await stage.tui({ maxTurns: 2, beside: [exampleOf(host, "send-user-message.ts")] });
    await pi.submit("Go.");
    await pi.waitFor(question);
    await pi.submit("/followup And then?");
    await pi.waitFor("Follow-up: And then?");
    await pi.type("y");
    expect(await pi.waitFor("Followed up.")).not.toContain(question);
    expect(stage.model.requests).toHaveLength(5);
  });

  test("at a terminal, a choice in another extension's dialog at the question is an act of the person [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, script);
    const pi = await stage.tui({ maxTurns: 2, beside: ["picks"] });
    await pi.submit("Go.");
    await pi.waitFor(question);
    await pi.submit("/pick");
    await pi.waitFor("Pick one");
    await pi.press("Enter");
    await pi.waitFor("Follow-up: Eat the apple.");
    await pi.type("y");
    expect(await pi.waitFor("Followed up.")).not.toContain(question);
    expect(stage.model.requests).toHaveLength(5);
  });
});
