import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { browserAvailable, openBrowser, type Page, PHONE, type TestBrowser } from "@turn-limit/rig";
import { afterAll, beforeAll, beforeEach, test as everywhere, expect, onTestFinished } from "vitest";
import { createPool } from "../../src/pools/pool.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { listRun } from "../command/a-store.ts";

const command = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");

const test = everywhere.skipIf(!browserAvailable);

let browser: TestBrowser | undefined;
beforeAll(async () => {
  if (browserAvailable) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  expect(browser?.problems ?? []).toEqual([]);
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dashboard-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const environment = () => ({ ...process.env, XDG_CONFIG_HOME: folder });
const file = () => join(folder, "pools.sqlite");

/** The dashboard as a person starts it; `link` pairs one browser. */
async function started(port = "0") {
  const child = spawn(process.execPath, [command, "dashboard", "--store", file(), "--port", port], {
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => ended(child));
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    out += chunk;
  });
  await expect.poll(() => out).toMatch(/open (\S+),/);
  const [, link = ""] = /open (\S+),/.exec(out) ?? [];
  return { link, address: new URL(link).origin, port: new URL(link).port, end: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = once(child, "exit");
  child.kill("SIGTERM");
  await over;
}

async function devices(...args: string[]) {
  const child = spawn(process.execPath, [command, "devices", ...args, "--json"], { env: environment() });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    out += chunk;
  });
  await once(child, "close");
  return JSON.parse(out);
}

const opened: TestBrowser["open"] = (...args) => closedAfterwards(browser?.open(...args));
const paired: TestBrowser["pair"] = (...args) => closedAfterwards(browser?.pair(...args));

async function closedAfterwards(opening: Promise<Page> | undefined): Promise<Page> {
  if (!opening) throw new Error("There is no browser.");
  const page = await opening;
  onTestFinished(() => page.context().close());
  return page;
}

function pool(name = "research") {
  const store = sqliteStore(file());
  onTestFinished(() => store.close());
  return createPool({ id: name, turns: 25, store, lookEvery: 20 });
}

const QUESTION = {
  kind: "ask",
  id: 1,
  limit: "turns",
  identity: { kind: "turns" },
  used: 25,
  max: 25,
} as const;

everywhere("under CI=true a browser is at hand", () => {
  expect(process.env.CI !== "true" || browserAvailable).toBe(true);
});

everywhere("the whole page, with everything that it loads, is at most 40 kB gzipped", () => {
  const page = join(command, "..", "dashboard", "page");
  const files = readdirSync(page);
  expect(files.sort()).toEqual(["app.js", "icon.svg", "index.html", "style.css"]);
  const sizes = files.map((name) => gzipSync(readFileSync(join(page, name))).length);
  expect(sizes.reduce((all, size) => all + size, 0)).toBeLessThanOrEqual(40_000);
  const html = readFileSync(join(page, "index.html"), "utf8");
  for (const [, address] of html.matchAll(/(?:src|href)="([^"]*)"/g))
    expect(files.map((name) => `/${name}`)).toContain(address);
});

const asked = (from: ReturnType<typeof pool>, name: string) =>
  from.ask(QUESTION, new AbortController().signal, { id: name, name });

test("a phone is paired by the link, and a yes on it is the reply that the agent gets", async () => {
  const { link } = await started();
  const reply = asked(pool(), "claude in ~/site");
  const page = await paired(link, PHONE);
  expect(page.url()).not.toContain("#");
  const question = page.getByRole("listitem").filter({ hasText: "claude in ~/site" }).first();
  await question.getByText("(25/25). Continue?").waitFor();
  await question.getByRole("button", { name: "Yes" }).click();
  expect(await reply).toBe(true);
  await question.getByRole("button").first().waitFor({ state: "detached" });
  await question.getByText("Answered on a browser on Linux: yes, another 25 turns.").waitFor();
  const width = await page.evaluate("document.documentElement.scrollWidth");
  expect(width).toBe(360);
});

test("an amount that is typed on it is allowed, and one that is none is refused in words", async () => {
  const { link } = await started();
  const reply = asked(pool(), "scout");
  const page = await paired(link);
  const amount = page.getByLabel("How much more for scout");
  await amount.fill("lots");
  await page.getByRole("button", { name: "Allow this much" }).click();
  await page.getByText("is not a reply").waitFor();
  await amount.fill("7");
  await amount.press("Enter");
  expect(await reply).toEqual({ more: 7 });
});

test("on two devices one answers, and on the other the question closes", async () => {
  const { link, address } = await started();
  const reply = asked(pool(), "scout");
  const phone = await paired(link, PHONE);
  const { code } = await devices("add");
  const laptop = await paired(`${address}/#${code}`);
  await phone.getByRole("button", { name: "No", exact: true }).waitFor();
  await laptop.getByRole("button", { name: "No", exact: true }).click();
  expect(await reply).toBe(false);
  await phone.getByRole("button", { name: "No", exact: true }).waitFor({ state: "detached" });
  // Elsewhere it closes, and says who answered what.
  await phone.getByText("Answered on a browser on Linux: no.").first().waitFor();
  await phone.getByText("Decisions").click();
  await phone
    .getByRole("listitem")
    .filter({ hasText: /scout Answered on a browser on Linux: no. \d+s ago/ })
    .waitFor();
});

test("a code that was used pairs nobody else, and a device that is revoked is shown nothing any more", async () => {
  const { link } = await started();
  await pool("secret plans").freeze();
  const page = await paired(link);
  await page.getByRole("heading", { name: "secret plans" }).waitFor();
  const other = await opened(link);
  await other.getByRole("button", { name: "Pair" }).click();
  await other.getByText("This code is wrong, was used, or is older than five minutes.").waitFor();
  const [{ id }] = (await devices()).devices;
  await devices("revoke", id);
  await page.getByRole("button", { name: "Pair" }).waitFor();
  expect(await page.getByText("secret plans").count()).toBe(0);
});

test("a pool is frozen and let go on, each after a confirmation", async () => {
  const { link } = await started();
  const research = pool();
  await research.unfreeze();
  const page = await paired(link);
  const dialog = page.getByRole("dialog");
  const freeze = page.getByRole("button", { name: "Freeze", exact: true });
  for (const leave of [() => page.keyboard.press("Escape"), () => dialog.getByText("Cancel").click()]) {
    await freeze.click();
    await dialog.getByText("Hold all agents of research before the next turn?").waitFor();
    await leave();
    await dialog.waitFor({ state: "hidden" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Freeze");
  }
  expect((await research.read()).frozen).toBeUndefined();
  await freeze.click();
  await dialog.getByRole("button", { name: "Freeze" }).click();
  await page.getByText("Frozen: on a browser on Linux").waitFor();
  await page.getByText("Decisions 1").click();
  await page.getByText("Frozen on a browser on Linux.").waitFor();
  expect((await research.read()).frozen).toContain("a browser on Linux");
  await page.getByRole("button", { name: "Unfreeze" }).click();
  await dialog.getByRole("button", { name: "Unfreeze" }).click();
  await page.getByRole("button", { name: "Freeze", exact: true }).waitFor();
  expect((await research.read()).frozen).toBeUndefined();
});

test("a run is shown with what it spends, and is extended and stopped, each after a confirmation", async () => {
  const { link } = await started();
  const store = sqliteStore(file());
  onTestFinished(() => store.close());
  const record = await listRun(store);
  const page = await paired(link, PHONE);
  const card = page.getByRole("region", { name: "Runs" }).getByRole("listitem").first();
  await card.getByText("Pi · ~/site on laptop · a-model").waitFor();
  await card.getByText(/began 10m.* ago · idle 1m/).waitFor();
  expect(await card.getByRole("progressbar", { name: "turns of Pi in ~/site" }).getAttribute("value")).toBe(
    `${12 / 25}`,
  );
  await listRun(store, "Pi in ~/site", "Pi", { turns: 13, cost: 1.75 });
  await card.getByText("$1.25 a minute").waitFor();

  const dialog = page.getByRole("dialog");
  await card.getByRole("button", { name: "Extend…" }).click();
  await card.getByLabel("How much more in Pi in ~/site").fill("10");
  await card.getByRole("button", { name: "Extend", exact: true }).click();
  await dialog.getByText("Allow Pi in ~/site more turns: 10?").waitFor();
  expect((await store.read(record))?.state.extra).toEqual({});
  await dialog.getByRole("button", { name: "Extend" }).click();
  await expect.poll(async () => (await store.read(record))?.state.extra).toEqual({ turns: 10 });

  await card.getByRole("button", { name: "Stop" }).click();
  await dialog.getByText("Stop Pi in ~/site before its next turn?").waitFor();
  expect((await store.read(record))?.state.stopped).toBeUndefined();
  await dialog.getByRole("button", { name: "Stop" }).click();
  await card.getByText("Told to stop").waitFor();
  expect((await store.read(record))?.state.stopped).toMatchObject({ where: "on a browser on Linux" });
  expect(await card.getByRole("button", { name: "Stop" }).count()).toBe(0);
});

test("how much a run is extended by can be typed at once, and is in sight, on the smallest phone, too", async () => {
  const { link } = await started();
  const store = sqliteStore(file());
  onTestFinished(() => store.close());
  await listRun(store);
  const page = await paired(link, { ...PHONE, viewport: { width: 360, height: 400 } });
  await page.getByRole("button", { name: "Extend…" }).click();
  const field = page.getByLabel("How much more in Pi in ~/site");
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("INPUT");
  const { y = 0, height = 0 } = (await field.boundingBox()) ?? {};
  expect([y > 0, y + height <= 400]).toEqual([true, true]);
});

test("a link that is opened in a tab that shows the page already brings its code", async () => {
  const { link, address } = await started();
  const page = await opened(address);
  await page.getByLabel("Code").waitFor();
  await page.goto(link);
  await expect.poll(() => page.getByLabel("Code").inputValue()).toBe(new URL(link).hash.slice(1));
  expect(page.url()).toBe(`${address}/`);
});

test("where nothing runs yet it says how an agent is started, as the command takes it", async () => {
  const { link } = await started();
  const page = await paired(link);
  const [npx, name, ...args] = (await page.locator(".empty code").textContent())?.split(" ") ?? [];
  expect([npx, name]).toEqual(["npx", "turn-limit"]);
  const child = spawn(process.execPath, [command, ...args], { env: { ...environment(), PATH: folder } });
  expect((await once(child, "close"))[0]).toBe(127);
});

test("a connection that drops comes back, with what happened meanwhile", async () => {
  const first = await started();
  const research = pool();
  await research.freeze("before");
  const page = await paired(first.link);
  await page.getByText("Frozen: before").waitFor();
  await first.end();
  await page.getByText("connecting…").waitFor();
  await page.getByText("There is no connection. This is how it was").waitFor();
  await research.freeze("meanwhile");
  await started(first.port);
  await page.getByText("Frozen: meanwhile").waitFor();
  expect(await page.getByText("There is no connection").count()).toBe(0);
});

test.each([
  ["of 300 letters", "x".repeat(300), "x".repeat(300)],
  ["that turn the text around", "\u202egnp.exe \u2067 مرحبا", "\u202egnp.exe \u2067 مرحبا"],
  ["of emoji and control characters", "🦄👩‍👩‍👧‍👦\u0000\n\u001b[2J", "🦄👩‍👩‍👧‍👦 [2J"],
  ["that are empty", "  ", "7d1f2a10"],
])(
  "a phone shows names %s in its width, and what is answered next to them is another's",
  async (_, name, shown) => {
    const { link } = await started();
    const research = pool();
    const signal = new AbortController().signal;
    const id = "7d1f2a10-0000-4000-8000-000000000001";
    const replies = [research.ask(QUESTION, signal, { id, name }), asked(research, "scout")];
    const page = await paired(link, PHONE);
    const question = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "scout" }) });
    await question.waitFor();
    const heading = page.getByRole("heading", { level: 3 }).filter({ hasText: shown });
    expect(await heading.first().textContent()).toBe(shown);
    expect((await heading.first().boundingBox())?.height).toBeLessThan(60);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await question.getByRole("button", { name: "No", exact: true }).click();
    expect(await replies[1]).toBe(false);
    await question.getByRole("button").first().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Yes" }).click();
    expect(await replies[0]).toBe(true);
  },
);

test("a screen reader is told of a question and of its answer once, and goes on where it was", async () => {
  const { link } = await started();
  const research = pool();
  const page = await paired(link);
  const told: string[] = [];
  await page.exposeFunction("tell", (text: string) => told.push(text));
  // All that stands in live regions, whenever it changes.
  await page.evaluate(`new MutationObserver((changes) => {
    for (const { target } of changes) {
      const region = (target.nodeType === 1 ? target : target.parentElement)?.closest("[aria-live], [role=status], [role=alert]");
      if (region) tell(region.textContent);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
  const replies = [asked(research, "scout"), asked(research, "writer")];
  const yes = page.getByRole("group", { name: "Reply to scout" }).getByRole("button", { name: "Yes" });
  await yes.waitFor();
  // Times go on, and nobody hears of it.
  await page.getByText("asked 2s ago").first().waitFor();
  const heard = () => told.filter((text) => text.includes("scout asks: ")).length;
  expect(heard()).toBeGreaterThan(0);
  expect(told.filter((text) => /\ds ago/.test(text))).toEqual([]);
  await yes.focus();
  await page.keyboard.press("Enter");
  expect(await replies[0]).toBe(true);
  await expect.poll(() => told.join()).toContain("scout: Answered on a browser on Linux: yes");
  const focused = "document.activeElement.getAttribute('aria-label')";
  await expect.poll(() => page.evaluate(focused)).toBe("Open questions");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(await replies[1]).toBe(true);
});

test("names are shown as text, whatever they are", async () => {
  const { link } = await started();
  const name = `<img src=x onerror="document.title='owned'">`;
  const reply = asked(pool(), name);
  const page = await paired(link);
  await page.getByRole("heading", { name }).waitFor();
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  expect(await page.title()).toBe("(1) turn-limit");
  await page.getByRole("button", { name: "Wrap up" }).click();
  expect(await reply).toBe("wrap-up");
});

test("it is used with the keyboard alone, in the dark", async () => {
  const { link } = await started();
  const reply = asked(pool(), "scout");
  const page = await opened(link, { colorScheme: "dark" });
  await page.getByLabel("Code").press("Enter");
  await page.getByRole("button", { name: "Yes" }).waitFor();
  expect(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")).toBe(
    "rgb(23, 21, 19)",
  );
  const focused = "document.activeElement?.textContent";
  await expect
    .poll(async () => {
      await page.keyboard.press("Tab");
      return page.evaluate(focused);
    })
    .toContain("Yes");
  await page.keyboard.press("Enter");
  expect(await reply).toBe(true);
});
