import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onEachTerminal, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { cameToRest, tell } from "../helpers/talk.ts";

/** Where the dashboard is, and the code with which a browser is paired, as a person reads them. */
function shownIn(text: string) {
  const [, address = "", code = ""] = /(http:\/\/127\.0\.0\.1:\d+)\/#(\w{8})/.exec(text) ?? [];
  return { address, code };
}

/** What the page does in a browser that is paired by the code. */
async function browserAt({ address, code }: { address: string; code: string }) {
  const post = (path: string, body: object, secret = "") =>
    fetch(`${address}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
      body: JSON.stringify(body),
    });
  const paired = await post("/api/pair", { code, name: "my phone" });
  const { secret } = (await paired.json()) as { secret: string };
  return {
    act: (action: string, pool: string, ...words: string[]) =>
      post("/api/act", { action, pool, words }, secret),
    /** Is it still let in there? Where another dashboard has the port by now, it is not. */
    isLetIn: () =>
      fetch(`${address}/api/events`, { headers: { authorization: `Bearer ${secret}` } }).then(
        async ({ ok, body }) => {
          await body?.cancel();
          return ok;
        },
        () => false,
      ),
    /** What the page is told, once `isThere` is in it. */
    async seen(isThere: RegExp): Promise<string> {
      const headers = { authorization: `Bearer ${secret}` };
      const response = await fetch(`${address}/api/events`, { headers });
      let text = "";
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (isThere.test(text)) break;
      }
      return text;
    },
  };
}

onEachHost((host) => {
  test("/dashboard serves the page of this store: a question is answered on it, and one too late is told so", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2 });
    const { message } = await tell(pi, "/dashboard");
    const browser = await browserAt(shownIn(message));
    await pi.prompt("Go.");
    await pi.nextDialog();
    const asked = await browser.seen(/"question/);
    expect(asked).toContain("Pi in ");
    const [, pool = ""] = /"(run@[\w-]+)"/.exec(asked) ?? [];
    const [, question = ""] = /"questions":\[\{"id":"([\w-]+)"/.exec(asked) ?? [];
    expect((await browser.act("answer", pool, question, "1")).status).toBe(200);
    await stage.model.waitForRequest(3);
    const second = await pi.nextDialog();
    expect(pi.notifications.map(({ message }) => message)).toContain(
      "Answered on my phone: yes, 1 more turn.",
    );
    const late = await browser.act("answer", pool, question, "5");
    expect([late.status, await late.text()]).toEqual([409, expect.stringContaining("my phone")]);
    pi.answer(second, { confirmed: false });
    await pi.settled();
    expect(stage.model.requests).toHaveLength(3);
  });
});

onNewestHost((host) => {
  test("/dashboard shows another code each time, goes on after a reload, and ends by /dashboard close", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ beside: ["travels"] });
    const first = shownIn((await tell(pi, "/dashboard")).message);
    await pi.prompt("/load-again");
    const second = shownIn((await tell(pi, "/dashboard")).message);
    expect(second.address).toBe(first.address);
    expect(second.code).not.toBe(first.code);
    const browser = await browserAt(second);
    expect(await browser.isLetIn()).toBe(true);
    expect((await tell(pi, "/dashboard close")).message).toBe("The dashboard is closed.");
    expect(await browser.isLetIn()).toBe(false);
    expect((await tell(pi, "/dashboard close")).message).toBe("No dashboard is open here.");
    expect(stage.model.requests).toEqual([]);
  });

  test("two Pis have a dashboard each, and it ends with its Pi", async () => {
    await using stage = await setStage(host, endless());
    const [one, other] = [await stage.rpc(), await stage.rpc()];
    const places = [await tell(one, "/dashboard"), await tell(other, "/dashboard")].map(({ message }) =>
      shownIn(message),
    );
    expect(new Set(places.map(({ address }) => address)).size).toBe(2);
    const browsers = [];
    for (const place of places) browsers.push(await browserAt(place));
    await one.close();
    const areLetIn = [];
    for (const { isLetIn } of browsers) areLetIn.push(await isLetIn());
    expect(areLetIn).toEqual([false, true]);
  });

  test.each([
    ["--port 70000", '"70000" from --port is not a port.'],
    ["--host 0.0.0.0", "Beyond this machine the dashboard needs https"],
    ["now", '"now" is one word too many.'],
    ["--help", "Use /dashboard"],
  ])("/dashboard %s opens nothing and says why", async (typed, why) => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc();
    const { message, type } = await tell(pi, `/dashboard ${typed}`);
    expect(type).toBe("error");
    expect(message).toContain(why);
    expect((await tell(pi, "/dashboard close")).message).toBe("No dashboard is open here.");
  });

  test("print mode ends before anybody could look, so it says where to open the dashboard", async () => {
    await using stage = await setStage(host, endless());
    const { stderr, code } = await stage.print("/dashboard");
    expect(stderr).toContain(`npx turn-limit dashboard --store ${stage.sandbox.agentDir}/turn-limit.sqlite`);
    expect(code).toBe(0);
    expect(stage.model.requests).toEqual([]);
  });
});

await onEachTerminal((host) => {
  test("a terminal shows the code as a picture if it has room for it", async () => {
    await using stage = await setStage(host, endless());
    const wide = await stage.tui({ maxTurns: 1, cols: 60, rows: 40 });
    await wide.submit("/dashboard");
    expect(await wide.waitFor(/another\s+code\./)).toMatch(/█▀+█|▄▄▄▄▄/);
    await wide.submit("Go.");
    await wide.waitFor("Continue?");
    await wide.press("Escape");
    await cameToRest(wide);
    const narrow = await stage.tui({ cols: 28, rows: 40 });
    await narrow.submit("/dashboard");
    expect(await narrow.waitFor(/another\s+code\./)).not.toMatch(/[█▀▄]/);
    expect(stage.model.requests).toHaveLength(1);
  });
});
