import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bash, calls, deferred, endless, says, slow, type TuiPi, textOf } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachTerminal, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";

const help = "↑↓ move · Enter edits · u unlimited · s saves to your settings · Escape closes";
const editing = "Enter sets · Escape cancels";
const working = calls(bash("echo working"));

async function open(pi: TuiPi): Promise<string> {
  await pi.submit("/limits");
  return pi.waitFor(help);
}

async function close(pi: TuiPi): Promise<void> {
  await pi.press("Escape");
  await pi.waitUntilGone(help);
}

/** Moves down from the first limit, so many times, and writes another value over the one that is there. */
async function edit(pi: TuiPi, down: number, text: string): Promise<void> {
  for (let moved = 0; moved < down; moved++) await pi.press("Down");
  await pi.press("Enter");
  await pi.waitFor(editing);
  await pi.press("C-u");
  await pi.type(text);
  await pi.press("Enter");
}

await onEachTerminal((host) => {
  test("a question waits until the panel is closed, and afterwards Pi takes prompts as always", async () => {
    const gate = deferred();
    await using stage = await setStage(host, ({ index }) =>
      index === 1 ? slow(working, gate.promise) : says("All done."),
    );
    const pi = await stage.tui({ maxTurns: 1 });
    await pi.submit("One.");
    await pi.waitFor("Turns: 1/1");
    await open(pi);
    gate.resolve();
    await pi.waitFor("Waits for the other dialog");
    await pi.press("Down");
    await pi.waitFor(/^→ Steps /m);
    await close(pi);
    await pi.waitFor("You've used 1 turn. Continue?");
    expect(stage.model.requests).toHaveLength(1);
    await pi.type("y");
    await pi.waitFor("All done.");
    await pi.submit("Two.");
    await stage.model.waitForRequest(3);
  });

  test("a dialog of another extension comes before the panel, and afterwards Pi takes prompts as always", async () => {
    await using stage = await setStage(host, () => says("All done."));
    const pi = await stage.tui({ beside: ["interrupts"] });
    await open(pi);
    await writeFile(join(stage.sandbox.projectDir, "interrupt"), "");
    await pi.waitFor("It is only an interruption.");
    await pi.press("Enter");
    await pi.waitFor("Excused: true");
    await pi.press("Escape");
    await pi.waitUntilGone(help);
    await pi.submit("One.");
    await stage.model.waitForRequest(1);
  });
});

await onNewestTerminal((host) => {
  test("every limit is shown with where it came from; one moves with the arrows and leaves with Escape", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ tools: { bash: 5 } });
    const pi = await stage.tui({ maxTurns: 7 });
    const screen = await open(pi);
    expect(screen).toMatch(/^→ Turns +0\/7 +0 % +--max-turns$/m);
    expect(screen).toMatch(/^ {2}Steps +0\/∞ +default$/m);
    expect(screen).toMatch(/^ {2}bash calls +0\/5 +0 % +your settings$/m);
    await pi.press("Down");
    await pi.waitFor(/^→ Steps /m);
    await pi.press("Up", "Up");
    await pi.waitFor(/^→ Turns /m);
    await close(pi);
    expect(stage.model.requests).toEqual([]);
  });

  test("what is deleted from a limit there is gone", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: "25 grace 3", args: ["--max-tokens", "200k stop reserve 10k"] });
    await open(pi);
    await edit(pi, 0, "25");
    await pi.waitFor(/^→ Turns +0\/25 +0 % +\S*.*\/turn-limit in this session$/m);
    await edit(pi, 2, "200k");
    const screen = await pi.waitFor(/^→ Tokens +0\/200k +0 % .*\/token-limit in this session$/m);
    expect(screen).not.toMatch(/grace|reserve|stop/);
  });

  test("a limit that is changed there holds for the next run, and lasts over /reload", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui();
    await open(pi);
    await edit(pi, 0, "2");
    await pi.waitFor(/^→ Turns +0\/2 +0 % +\/turn-limit in this session$/m);
    await close(pi);
    await pi.submit("/reload");
    await pi.waitFor(/Reloaded/);
    await open(pi);
    await pi.waitFor(/^→ Turns +0\/2 +0 % +\/turn-limit in this session$/m);
    await close(pi);
    await pi.submit("Go.");
    await pi.waitFor("You've used 2 turns. Continue?");
    expect(stage.model.requests).toHaveLength(2);
  });

  test("what is no limit is refused with the reason, and Escape leaves everything as it was", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 7 });
    await open(pi);
    await edit(pi, 0, "many");
    await pi.waitFor(/Invalid turn limit\.\s+Use a whole number,\s+or unlimited,\s+not\s+"many"\./);
    await pi.press("Escape");
    await pi.waitFor(/^→ Turns +0\/7 +0 % +--max-turns$/m);
    await close(pi);
  });

  test("at 60 columns what can be said is a few examples, and all of it with help, nothing cut off", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ cols: 60, rows: 30 });
    await pi.submit("/limits");
    await pi.waitFor(/^→ Turns /m);
    await pi.press("Enter");
    await pi.waitFor(/For example 25, 25 stop grace 3 or unlimited\.\s+help\s+shows all that can be said\./);
    await pi.type("help");
    await pi.press("Enter");
    const screen = await pi.waitFor("default: what is configured");
    expect(screen).not.toMatch(/…/);
    expect(screen).toMatch(/25, 100 per session: several, with commas/);
    await pi.type("10");
    await pi.press("Enter");
    await pi.waitFor(/^→ Turns .* 0\/10 /m);
  });

  test.for([60, 80])("at %i columns nothing of a limit is cut off in the panel", async (cols) => {
    await using stage = await setStage(host, endless());
    const tool = "mcp__a_server_with_a_name__create_pull_request";
    const file = await stage.sandbox.writeUserConfig({
      cost: [2, { max: 20, per: "day" }],
      tokens: { max: 200_000, onExhausted: "stop", reserve: 10_000 },
      tools: { [tool]: 5 },
    });
    const pi = await stage.tui({ cols, rows: 40 });
    const whole = (text: string) =>
      new RegExp(
        `${[...text.replaceAll(" ", "")].map((sign) => sign.replace(/[.$]/, "\\$&")).join("\\s*")}$`,
        "m",
      );
    await pi.submit("/limits");
    await pi.waitFor(/^→ Turns /m);
    await pi.press("Down", "Down");
    expect(await pi.waitFor(whole(`From your settings, ${file} · stop reserve 10k`))).not.toMatch(/From .*…/);
    await pi.press("Down", "Down", "Down", "Down");
    await pi.waitFor(whole(`${tool} calls · From your settings, ${file}`));
    await pi.press("s", "s");
    await pi.waitFor(whole(`Saved to your settings, ${file}. They hold in new sessions.`));
  });

  test("u asks once, and takes the limit away only then", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 7 });
    await open(pi);
    await pi.press("u");
    await pi.waitFor("No limit at all? y, u or Enter confirms, any other key keeps it.");
    await pi.press("Down");
    await pi.waitUntilGone("No limit at all?");
    expect(await pi.screen()).toMatch(/^→ Turns +0\/7 +0 % +--max-turns$/m);
    await pi.press("u", "u");
    await pi.waitFor(/^→ Turns +0\/∞ +\/turn-limit in this session$/m);
    await close(pi);
    await pi.submit("/turn-limit");
    await pi.waitFor("Turn limit: unlimited (/turn-limit in this session).");
  });

  test("what is typed first replaces the value, as if it were selected", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui();
    await open(pi);
    await pi.press("Enter");
    await pi.waitFor(editing);
    await pi.type("50");
    await pi.press("Enter");
    await pi.waitFor(/^→ Turns +0\/50 /m);
    await pi.press("Enter", "BSpace");
    await pi.type("5");
    await pi.press("Enter");
    await pi.waitFor(/^→ Turns +0\/55 /m);
  });

  test("the limits of a tool and of repeats are changed there, too, and refused where they are none", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ tools: { bash: 5 } });
    const pi = await stage.tui();
    await open(pi);
    await edit(pi, 6, "0");
    await pi.waitFor(/Invalid repeat limit\.\s+"0" is below 1\.\s+Use 1 or more,\s+or\s+unlimited\./);
    await pi.press("Escape");
    await pi.waitUntilGone(editing);
    await edit(pi, 0, "3");
    await pi.waitFor(/^→ Repeats +0\/3 +0 % +\/limits in this session$/m);
    await pi.press("Up");
    await edit(pi, 0, "2");
    await pi.waitFor(/^→ bash calls +0\/2 +0 % +\/tool-limit bash in this session$/m);
    await close(pi);
    await pi.submit("Go.");
    await pi.waitFor("bash was called 2 times. Continue?");
    expect(stage.model.requests).toHaveLength(3);
  });

  test("opened while the agent works it shows the numbers as they grow, and a change is seen at once", async () => {
    const gates = [deferred(), deferred()];
    await using stage = await setStage(host, ({ index }) => {
      const gate = gates[index - 1];
      return gate ? slow(working, gate.promise) : says("All done.");
    });
    const pi = await stage.tui();
    await pi.submit("Go.");
    await pi.waitFor("Turns: 1/25");
    await open(pi);
    await pi.waitFor(/^→ Turns .* 1\/25 +4 %/m);
    gates[0]?.resolve();
    await pi.waitFor(/^→ Turns .* 2\/25 +8 %/m);
    await edit(pi, 0, "4");
    await pi.waitFor(/^→ Turns .* 2\/4 +50 % /m);
    await pi.waitFor("Turns: 2/4");
    gates[1]?.resolve();
    await pi.waitFor("All done.");
    await close(pi);
  });

  test("a limit that is raised in the panel answers the question that waits for it [LimitChanged]", async () => {
    const gate = deferred();
    await using stage = await setStage(host, ({ index }) =>
      index === 1 ? slow(working, gate.promise) : says("All done."),
    );
    const pi = await stage.tui({ maxTurns: 1 });
    await pi.submit("One.");
    await pi.waitFor("Turns: 1/1");
    await open(pi);
    gate.resolve();
    await pi.waitFor("Waits for the other dialog");
    await edit(pi, 0, "9");
    await pi.waitFor("All done.");
    expect(stage.model.requests).toHaveLength(2);
  });

  test("what the model is told of what it has left is set there, holds at once, and is saved", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ tell: { at: [99], message: "{used} of {max}" } });
    const pi = await stage.tui({ maxTurns: 4 });
    await open(pi);
    await edit(pi, 6, "soon");
    await pi.waitFor(/Invalid tell setting\. Use on, off,\s+every-turn/);
    await pi.press("Escape");
    await pi.waitUntilGone(editing);
    await edit(pi, 0, "50, 75");
    await pi.waitFor(/^→ Tell model .*50,75 +\/tell in this session/m);
    await pi.press("s", "s");
    await pi.waitFor(/Saved to your settings/);
    await close(pi);
    await pi.submit("Go.");
    await pi.waitFor("You've used 4 turns. Continue?");
    const told = stage.model.requests.map(({ messages }) => textOf(messages.at(-1) as never));
    expect(told.filter((text) => / of 4$/.test(text))).toEqual(["2 of 4", "3 of 4"]);
    const saved = JSON.parse(await readFile(join(stage.sandbox.agentDir, "turn-limit.json"), "utf8"));
    expect(saved).toEqual({ tell: { at: [50, 75], message: "{used} of {max}" } });
  });

  test("a window of a subscription is added there, and saved", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui();
    await open(pi);
    await edit(pi, 7, "80%");
    await pi.waitFor(/Use a window and per cent,\s+such as\s+5h 80%/);
    await pi.press("C-u");
    await pi.type("5h 80% wait");
    await pi.press("Enter");
    await pi.waitFor(/^→ Plan per 5h +0%\/80% +0 % +wait/m);
    await pi.press("s", "s");
    await pi.waitFor(/Saved to your settings/);
    const saved = JSON.parse(await readFile(join(stage.sandbox.agentDir, "turn-limit.json"), "utf8"));
    expect(saved).toEqual({ plan: { "5h": { max: "80%", onExhausted: "wait" } } });
  });

  test.for([60, 80])(
    "at %i columns, what is typed at the cost of a run for a day is selected, named and saved",
    async (cols) => {
      await using stage = await setStage(host, endless());
      const pi = await stage.tui({ cols, rows: 40 });
      await pi.submit("/limits");
      await pi.waitFor(/^→ Turns /m);
      await edit(pi, 3, "0.10 per day");
      await pi.waitFor(/^→ Cost per day .*\$0\.00\/\$0\.10/m);
      await pi.press("s");
      await pi.waitFor(/Save \$0\.10 per day for all\s+sessions\?/);
      await pi.press("s");
      await pi.waitFor(/Saved to your settings/);
      const saved = JSON.parse(await readFile(join(stage.sandbox.agentDir, "turn-limit.json"), "utf8"));
      expect(saved).toEqual({ cost: { max: 0.1, per: "day" } });
    },
  );
});
