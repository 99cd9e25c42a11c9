import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bash, calls, deferred, endless, slow, type TuiPi } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { heldAtFirst } from "../helpers/held-at-first.ts";
import { onEachTerminal, onNewestTerminal } from "../helpers/on-each-host.ts";
import { type CastOptions, type Stage, setStage } from "../helpers/stage.ts";

const working = calls(bash("echo working"));
const question = "You've used 1 turn. Continue?";
const stopped = "Agent aborted by user.";
const editing = (text: string) => new RegExp(`^${text}\\s*$`, "m");

/** Works on for ever; `release` lets the first answer come, which leads to the question. */
const heldBeforeTheQuestion = () => heldAtFirst(working, () => working);

/** Prompts, and waits until the model has the request. */
async function atWork(stage: Stage, cast: CastOptions = {}): Promise<TuiPi> {
  const pi = await stage.tui({ maxTurns: 1, ...cast });
  await pi.submit("Go.");
  await stage.model.waitForRequest(1);
  return pi;
}

async function typed(pi: TuiPi, text: string): Promise<void> {
  await pi.type(text);
  await pi.waitFor(text);
}

await onEachTerminal((host) => {
  test.for(["y", "Y"])("%s is a yes [LetterAnswers] [ContinuationConfirmed]", async (key) => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 1 });
    await pi.submit("Go.");
    await pi.waitFor(question);
    await pi.type(key);
    await stage.model.waitForRequest(2);
  });

  test("a person in the middle of a message finishes and sends it, and decides nothing by that [KeyForSomethingElse]", async () => {
    const { script, release } = heldBeforeTheQuestion();
    await using stage = await setStage(host, script);
    const pi = await atWork(stage);
    await typed(pi, "Look at the");
    release();
    await pi.waitFor(question);
    await pi.type(" tests, yes or no");
    await pi.waitFor(editing("Look at the tests, yes or no"));
    await pi.press("Enter", "Enter");
    await pi.waitFor(/Steering: Look at the tests, yes or no/);
    await pi.type("n");
    await pi.waitFor(stopped);
    expect(stage.model.requests).toHaveLength(1);
  });

  test("another extension's list keeps its keys, and the question waits for it [KeyForSomethingElse]", async () => {
    const { script, release } = heldBeforeTheQuestion();
    await using stage = await setStage(host, script);
    const pi = await atWork(stage, { beside: ["shows-lists"] });
    await pi.submit("/list");
    await pi.waitFor("Pick one");
    release();
    await pi.waitFor(question);
    expect(await pi.screen()).toContain("Pick one");
    await pi.press("Down", "Enter");
    await pi.waitFor("Picked: pear");
    await pi.waitFor(question);
    await pi.press("Enter");
    await pi.type("n");
    await pi.waitFor(stopped);
    expect(stage.model.requests).toHaveLength(1);
  });

  test("a dialog that another extension opens over the question is answered first, and the question is still there", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 1, beside: ["interrupts"] });
    await pi.submit("Go.");
    await pi.waitFor("→ Yes");
    await writeFile(join(stage.sandbox.projectDir, "interrupt"), "");
    await pi.waitFor("It is only an interruption.");
    await pi.press("Enter");
    await pi.waitFor("Excused: true");
    await pi.press("Enter");
    await pi.waitFor("n or Escape no");
    expect(stage.model.requests).toHaveLength(1);
    await pi.type("y");
    await stage.model.waitForRequest(2);
  });

  test("an overlay keeps its keys, and the question waits for it", async () => {
    const { script, release } = heldBeforeTheQuestion();
    await using stage = await setStage(host, script);
    const pi = await atWork(stage, { beside: ["shows-lists"] });
    await pi.submit("/cover");
    await pi.waitFor("Overlay:");
    release();
    await pi.waitFor("Waits for the other dialog");
    await pi.type("yn");
    await pi.waitFor("Overlay: yn");
    await pi.press("Enter");
    await pi.waitFor("Covered: yn");
    await pi.type("y");
    await stage.model.waitForRequest(2);
  });

  test("Pi's own list of models keeps its keys, and the question waits for it", async () => {
    const { script, release } = heldBeforeTheQuestion();
    await using stage = await setStage(host, script);
    const pi = await atWork(stage);
    await pi.press("C-l");
    await pi.waitFor(/Model Name:|Only showing models/);
    release();
    await pi.waitFor(question);
    await pi.press("Escape");
    await pi.waitUntilGone(/Model Name:|Only showing models/);
    await pi.type("y");
    await stage.model.waitForRequest(2);
  });
});

await onNewestTerminal((host) => {
  test.for(["n", "N"])("%s is a no [LetterAnswers] [ContinuationDeclined]", async (key) => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 1 });
    await pi.submit("Go.");
    await pi.waitFor(question);
    await pi.type(key);
    await pi.waitFor(stopped);
    expect(stage.model.requests).toHaveLength(1);
  });

  test("the message reaches the model when the run goes on", async () => {
    const first = deferred();
    const second = deferred();
    const gates = [first, second];
    await using stage = await setStage(host, ({ index }) => {
      const gate = gates[index - 1];
      return gate ? slow(working, gate.promise) : working;
    });
    const pi = await atWork(stage);
    await typed(pi, "Look at the");
    first.resolve();
    await pi.waitFor(question);
    await pi.type(" tests");
    await pi.press("Enter");
    await pi.waitFor(/Steering: Look at the tests/);
    await pi.type("y");
    await stage.model.waitForRequest(2);
    await pi.waitUntilGone(question);
    second.resolve();
    await pi.waitFor(question);
    await pi.press("Enter");
    const { lastUserText } = await stage.model.waitForRequest(3);
    expect(lastUserText).toBe("Look at the tests");
  });

  test.for(["y", "n"])(
    "Ctrl+R answers in the middle of a message, which stays: %s [QuestionSummoned]",
    async (answer) => {
      const { script, release } = heldBeforeTheQuestion();
      await using stage = await setStage(host, script);
      const pi = await atWork(stage);
      await typed(pi, "Half a sen");
      release();
      await pi.waitFor(question);
      await pi.waitFor("Ctrl+R answers now");
      await pi.press("C-r");
      await pi.waitFor("→ Yes");
      await pi.type(answer);
      if (answer === "y") await stage.model.waitForRequest(2);
      else await pi.waitFor(stopped);
      await pi.waitFor(editing("Half a sen"));
      await pi.type("tence");
      await pi.waitFor(editing("Half a sentence"));
      expect(stage.model.requests).toHaveLength(answer === "y" ? 2 : 1);
    },
  );

  test.for(["yes, but look at the tests", "no, look at the tests", "Look at the tests"])(
    "a message that is begun after the question decides nothing: %s [TextIsNoAnswer]",
    async (text) => {
      await using stage = await setStage(host, endless());
      const pi = await stage.tui({ maxTurns: 1 });
      await pi.submit("Go.");
      await pi.waitFor(question);
      await pi.type(text);
      await pi.waitFor(editing(text));
      await pi.press("Enter", "Enter");
      await pi.waitFor(`Steering: ${text}`);
      await pi.type("n");
      await pi.waitFor(stopped);
      expect(stage.model.requests).toHaveLength(1);
    },
  );

  test.for([
    ["Ctrl+J", "\n"],
    ["Shift+Enter", "\x1b[13;2u"],
  ] as const)("%s is a new line in the editor, and decides nothing [TextIsNoAnswer]", async ([, key]) => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 1 });
    await pi.submit("Go.");
    await pi.waitFor("→ Yes");
    await pi.type(key);
    await pi.waitFor("Waits while you type");
    await pi.type("yes");
    await pi.waitFor(editing("yes"));
    await pi.press("C-r", "n");
    await pi.waitFor(stopped);
    expect(stage.model.requests).toHaveLength(1);
  });

  test("what is pasted goes into the editor, and decides nothing", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 1 });
    await pi.submit("Go.");
    await pi.waitFor(question);
    await pi.type("\x1b[200~y\x1b[201~");
    await pi.waitFor(editing("y"));
    await pi.press("BSpace", "n");
    await pi.waitFor(stopped);
    expect(stage.model.requests).toHaveLength(1);
  });

  test("another limit set by command while the question is open is taken at once [LimitChanged]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 1 });
    await pi.submit("Go.");
    await pi.waitFor(question);
    await pi.submit("/turn-limit 3");
    await pi.waitFor("You've used 3 turns. Continue?");
    expect(stage.model.requests).toHaveLength(3);
  });

  test("the menu is answered by its entries, and takes a number", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ boundary: "menu", turns: 1 });
    const pi = await stage.tui();
    await pi.submit("Go.");
    await pi.waitFor("→ Continue");
    await pi.press("Down", "Enter");
    await pi.waitFor("How many more turns?");
    await pi.type("two");
    await pi.press("Enter");
    await pi.waitFor('"two" is not a number of turns.');
    await pi.press("Escape");
    await pi.waitFor(/→ Continue with a number/);
    await pi.press("Enter");
    await pi.type("2");
    await pi.press("Enter");
    await stage.model.waitForRequest(3);
    await pi.waitFor("You've used 2 turns.");
    await pi.type("n");
    await pi.waitFor(stopped);
    expect(stage.model.requests).toHaveLength(3);
  });
});
