import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bash, calls, endless, NtfyServer, says, sequence } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachTerminal, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { cameToRest } from "../helpers/talk.ts";

/** A server of ntfy, and what it was told in the person's topic. */
async function phone() {
  const ntfy = await NtfyServer.start();
  const messages = () => ntfy.messages("mine");
  return {
    ntfy,
    target: ntfy.target("mine"),
    told: () => messages().map(({ message }) => message),
    /** The question of this number, once it is asked. */
    question: (number: number) =>
      ntfy.until(() => messages().filter(({ actions }) => actions !== undefined)[number]),
    saysAtLast: (text: string) => ntfy.until(() => messages().some(({ message }) => message === text)),
    [Symbol.asyncDispose]: () => ntfy.close(),
  };
}

await onEachTerminal((host) => {
  test("a question reaches the phone; the first answer counts there and in the terminal, and the other place says so", async () => {
    await using mine = await phone();
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ notify: mine.target, notifyOn: "budget,end" });
    const pi = await stage.tui({ maxTurns: 5 });
    await pi.submit("Go.");
    await pi.waitFor("Continue?");
    expect(await mine.ntfy.press(await mine.question(0), "Yes, 1 more turn")).toBe(200);
    await stage.model.waitForRequest(6);
    await pi.waitFor("Answered by ntfy: yes, 1 more turn.");
    const second = await mine.question(1);
    await pi.waitFor("Continue?");
    await pi.press("Escape");
    await cameToRest(pi);
    await mine.saysAtLast("Answered in the terminal: no.");
    await mine.ntfy.press(second, "Yes, another 5 turns");
    await mine.saysAtLast("Too late. Answered in the terminal: no.");
    expect(stage.model.requests).toHaveLength(6);
    expect(mine.told()).toEqual(
      expect.arrayContaining([
        "Turn limit nearly reached: 4/5.",
        expect.stringMatching(/^Stopped by you at the turn limit · 6 turns · .*\.$/),
      ]),
    );
  });
});

onNewestHost((host) => {
  test("in print mode the question is asked on the phone alone, and a yes there lets the run go on", async () => {
    await using mine = await phone();
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ notify: [mine.target] });
    const printed = stage.print("Go.", { maxTurns: 2 });
    await mine.ntfy.press(await mine.question(0), "Yes, another 2 turns");
    await mine.ntfy.press(await mine.question(1), "No");
    const { code, stderr } = await printed;
    expect(stderr).toContain("Answered by ntfy: yes, another 2 turns.");
    expect(stderr).toContain("Turn limit reached (2/2). Stopped by you.");
    expect(code).toBe(1);
    expect(stage.model.requests).toHaveLength(4);
  });

  test("where nothing can be sent, print mode waits for nobody: it is told, and stops", async () => {
    await using mine = await phone();
    mine.ntfy.fails = { publish: 403, listen: 403 };
    await using stage = await setStage(host, endless());
    const { code, stderr } = await stage.print("Go.", {
      maxTurns: 2,
      env: { TURN_LIMIT_NOTIFY: mine.target },
    });
    expect(stderr).toContain(
      `ntfy at ${mine.ntfy.host}: a notification was not sent: the server answered with status 403.`,
    );
    expect(stderr).toContain("Turn limit reached (2/2). To allow more");
    expect(code).toBe(1);
    expect(stage.model.requests).toHaveLength(2);
  });

  test("what is no place is told with its file and value, and the limits hold", async () => {
    await using stage = await setStage(host, endless());
    const file = await stage.sandbox.writeUserConfig({
      turns: 2,
      notify: "nfty://host/mine",
      notifyOn: "end",
    });
    const { code, stderr } = await stage.print("Go.");
    expect(stderr).toContain(
      `"nfty://host/mine" from "notify" in ${file} is no place for notifications. Use ntfy:`,
    );
    expect(code).toBe(1);
    expect(stage.model.requests).toHaveLength(2);
  });

  test("a project says neither where the person is told nor which command is run for it", async () => {
    await using stage = await setStage(host, endless(), { trusted: true });
    const made = join(stage.sandbox.root, "made");
    await stage.sandbox.writeProjectConfig({ notify: `command:touch ${made}` });
    const { stderr } = await stage.print("Go.", { maxTurns: 2 });
    expect(stderr).toContain('"notify" is not a setting.');
    await writeFile(made, "", { flag: "wx" });
    expect(stage.model.requests).toHaveLength(2);
  });

  test("a command is told, and the agent gets none of the variables with which it could answer", async () => {
    await using mine = await phone();
    const shows = calls(bash("env | grep -c TURN_LIMIT_NOTIFY; true"));
    await using stage = await setStage(host, sequence([shows, says("All done.")]));
    const told = join(stage.sandbox.root, "told");
    await stage.sandbox.writeUserConfig({ notify: `command:cat >> ${told}`, notifyOn: ["end"] });
    const env = {
      TURN_LIMIT_NOTIFY: mine.target,
      TURN_LIMIT_NOTIFY_TOKEN: "t",
      TURN_LIMIT_NOTIFY_SECRET: "s",
    };
    expect((await stage.print("Go.", { env })).code).toBe(0);
    expect(JSON.stringify(stage.model.requests[1]?.messages.at(-1))).toMatch(/"0\\n/);
    expect(JSON.parse(await readFile(told, "utf8"))).toMatchObject({
      ...{ about: "end", agent: "Pi", text: expect.stringMatching(/^Completed · 2 turns/) },
    });
  });
});
