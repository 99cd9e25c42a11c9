import { type ModelRequest, says, textOf } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { leavesWithoutEnd } from "../helpers/executed.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { no, tell } from "../helpers/talk.ts";

const LINE = "For information: ";
const left = (used: number) => `${LINE}turn limit ${used}/4 used, ${4 - used} left, then the run is stopped.`;

/** The last message of a request, if it is about what is left. */
function toldIn({ messages }: ModelRequest): string {
  const last = messages.at(-1);
  const text = last ? textOf(last) : "";
  return text.startsWith(LINE) ? text : "-";
}

onEachHost((host) => {
  test("a request ends with what the model has left, and no other request, nor the session, has it [WhatIsLeftIsTold]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    await stage.sandbox.writeUserConfig({ turns: 4, tell: [50, 75] });
    const { events } = await stage.json("Go.", { session: true });
    expect(stage.model.requests.map(toldIn)).toEqual(["-", left(2), left(3), "-"]);
    for (const { messages } of stage.model.requests)
      expect(messages.slice(0, -1).some((message) => textOf(message).includes(LINE))).toBe(false);
    expect(JSON.stringify(events)).not.toContain(LINE);
  });

  test("the bytes of successive requests are the same up to the line", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    await stage.sandbox.writeUserConfig({ turns: 4, tell: "every turn" });
    await stage.print("Go.");
    const { requests } = stage.model;
    expect(requests.map(toldIn)).toEqual([1, 2, 3, 4].map(left));
    for (const [n, { messages }] of requests.entries()) {
      const before = JSON.stringify(messages.slice(0, -1)).slice(0, -1);
      const next = requests[n + 1];
      if (next) expect(JSON.stringify(next.messages).startsWith(before)).toBe(true);
    }
  });
});

onNewestHost((host) => {
  test("it causes no turn, and a model that is done is not told", async () => {
    await using stage = await setStage(host, () => says("Done."));
    await stage.sandbox.writeUserConfig({ turns: 4, tell: [50] });
    const { stdout, stderr } = await stage.print("Go.");
    expect(stage.model.requests.map(toldIn)).toEqual(["-"]);
    expect({ stdout, stderr }).toEqual({ stdout: "Done.\n", stderr: "" });
  });

  test("in other words, where the settings have some", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    await stage.sandbox.writeUserConfig({
      turns: 2,
      tell: { at: [50], message: "{used} of {max}: {limit}" },
    });
    await stage.print("Go.");
    expect(stage.model.requests.map(({ messages }) => textOf(messages.at(-1) as never))[0]).toBe(
      "1 of 2: turn limit",
    );
  });

  test("the flag wins over the variable and the settings, whose words stay", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    await stage.sandbox.writeUserConfig({ turns: 2, tell: { at: [99], message: "{used} of {max}" } });
    const lasts = () => stage.model.requests.map(({ messages }) => textOf(messages.at(-1) as never));
    await stage.print("Go.");
    expect(lasts()).not.toContain("1 of 2");
    await stage.print("Go.", { env: { PI_TELL: "50" } });
    expect(lasts().slice(2)[0]).toBe("1 of 2");
    await stage.print("Go.", { args: ["--tell", "off"], env: { PI_TELL: "50" } });
    expect(lasts().slice(4)).not.toContain("1 of 2");
    expect(lasts()).toHaveLength(6);
  });

  test("/tell shows it and sets it for this session, and default takes it back", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc({ maxTurns: 4 });
    const says = async (command: string) => (await tell(pi, command)).message;
    const held = (when: string) => `The model is told what it has left: ${when}.`;
    expect(await says("/tell")).toBe(held("off (default)"));
    expect(await says("/tell 50%")).toBe(held("50 (/tell in this session)"));
    expect(await tell(pi, "/tell sometimes")).toMatchObject({
      message: expect.stringMatching(
        /^Invalid tell setting\. Use on, off, every-turn, .*, not "sometimes"\.$/,
      ),
      type: "error",
    });
    expect(await says("/tell help")).toMatch(/^\/tell takes:\non, off, every-turn, /);
    await pi.prompt("Go.");
    pi.answer(await pi.nextDialog(), no);
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(stage.model.requests.map((request) => toldIn(request) !== "-")).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect(await says("/tell default")).toBe(held("off (default)"));
  });

  test("a bad flag is refused in one line, and what is set otherwise holds", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const { stderr } = await stage.print("Go.", {
      maxTurns: 4,
      args: ["--tell", "always"],
      env: { PI_TELL: "50" },
    });
    expect(stderr).toContain(
      'Invalid tell setting from --tell. Use on, off, every-turn, or shares in percent above 0 and up to 100 such as 80,90,95, not "always".',
    );
    expect(stage.model.requests.map(toldIn)).toEqual(["-", left(2), "-", "-"]);
  });

  test("a bad setting is refused with what is allowed, and a project may not say it", async () => {
    await using stage = await setStage(host, () => says("Done."));
    await stage.sandbox.writeUserConfig({ tell: [0] });
    await stage.sandbox.writeProjectConfig({ tell: true });
    const { stderr } = await stage.print("Go.");
    expect(stderr).toContain('"tell": Invalid setting. Use true, false, "every turn"');
    expect(stderr).toContain('"tell" is not a setting.');
  });
});
