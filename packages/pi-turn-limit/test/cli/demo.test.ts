import { openTui, tmuxAvailable } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { setStage } from "../../../../scripts/demo/stage.ts";
import { limit, prompt } from "../../../../scripts/demo/story.ts";
import { cameToRest } from "../helpers/talk.ts";

test.runIf(await tmuxAvailable())(
  "what npm start shows invites to the menu, to /limits and to /cost-limit, and each does what it says",
  async () => {
    await using stage = await setStage(0, ["--max-turns", `${limit}`]);
    await using pi = await openTui({ ...stage.pi, rows: 50 });
    await pi.submit(prompt);
    const screen = await pi.waitFor("→ Continue");
    for (const invitation of ["Wrap up now", "/limits", "/cost-limit $0.10", "/cost-limit default"])
      expect(screen).toContain(invitation);
    await pi.press("Down", "Down", "Enter");
    await pi.waitFor("I was told to wrap up");
    await cameToRest(pi);
    await pi.submit("/cost-limit $0.10");
    await pi.waitFor("Cost limit set to $0.10.");
    await pi.submit("/turn-limit unlimited");
    await pi.waitFor("Turn limit set to unlimited.");
    await pi.submit("/limits");
    await pi.waitFor(/^ {2}Cost .*\/∞ → \$0\.10 .*in this session$/m);
    await pi.press("Escape");
    await pi.waitUntilGone("Escape closes");
    const before = stage.model.requests.length;
    await pi.submit("Again.");
    await pi.waitFor("Cost limit reached");
    expect(stage.model.requests).toHaveLength(before + 5);
  },
);
