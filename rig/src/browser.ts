import { existsSync } from "node:fs";
import type { BrowserContextOptions, Page } from "playwright-core";

export type { Page } from "playwright-core";

/** Debian's. One that npm installs changes what Claude Code writes, which other tests look at. */
const CHROMIUM = "/usr/bin/chromium";

/** Is there a browser to test with? */
export const browserAvailable = existsSync(CHROMIUM);

/** A phone, held in one hand. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
};

/** A real browser without a window. */
export interface TestBrowser extends AsyncDisposable {
  /** Opens a page as another device does, with nothing that was kept before. */
  open(link: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens the link of a dashboard, and pairs. */
  pair(link: string, options?: BrowserContextOptions): Promise<Page>;
  /** What went wrong in its pages: errors of scripts, and what the policy of a page forbade. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** `names`: names of sites that lead to this machine. */
export async function openBrowser(...names: string[]): Promise<TestBrowser> {
  const { chromium } = await import("playwright-core");
  const resolver = names.map((name) => `MAP ${name} 127.0.0.1`).join(",");
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", ...(names.length > 0 ? [`--host-resolver-rules=${resolver}`] : [])],
  });
  const problems: string[] = [];
  const open = async (link: string, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext(options);
    // Only for what hangs: how busy the machine is must not decide a test.
    context.setDefaultTimeout(600_000);
    const page = await context.newPage();
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => {
      // That is the status of an answer.
      if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
        problems.push(message.text());
    });
    await page.goto(link);
    return page;
  };
  const close = () => browser.close();
  return {
    open,
    pair: async (link, options) => {
      const page = await open(link, options);
      await page.getByRole("button", { name: "Pair" }).click();
      await page.getByText("live", { exact: true }).waitFor();
      return page;
    },
    problems,
    close,
    [Symbol.asyncDispose]: close,
  };
}
