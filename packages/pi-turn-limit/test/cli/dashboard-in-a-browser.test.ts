import { browserAvailable, endless, openBrowser, PHONE } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { cameToRest } from "../helpers/talk.ts";

await onEachTerminal((host) => {
  test.skipIf(!browserAvailable)(
    "a question of Pi is answered on the page and closes on the terminal, and one answered there closes on the page [AskedEverywhere]",
    async () => {
      await using stage = await setStage(host, endless());
      await using browser = await openBrowser();
      const pi = await stage.tui({ maxTurns: 2, cols: 120, rows: 60 });
      await pi.submit("/dashboard");
      const shown = await pi.waitFor(/another\s+code\./);
      const [link = ""] = /http:\/\/127\.0\.0\.1:\d+\/#\w{8}/.exec(shown) ?? [];
      const page = await browser.pair(link, PHONE);

      await pi.submit("Go.");
      await pi.waitFor("You've used 2 turns. Continue?");
      expect(stage.model.requests).toHaveLength(2);
      await page.getByRole("button", { name: "1 more" }).click();
      await pi.waitFor("Answered on a browser on Linux: yes, 1 more turn.");
      await stage.model.waitForRequest(3);

      // The next question has another amount. Closed on the terminal, it closes on the page.
      await page.getByRole("button", { name: "Yes, another 2 turns" }).waitFor();
      await pi.waitFor("Continue?");
      await pi.press("Escape");
      await page.getByText("Answered in the terminal: no.").first().waitFor();
      expect(await page.getByRole("button", { name: "No", exact: true }).count()).toBe(0);
      await cameToRest(pi);
      expect(stage.model.requests).toHaveLength(3);
      expect(browser.problems).toEqual([]);
    },
  );
});
