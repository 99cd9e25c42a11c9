import { fileURLToPath } from "node:url";
import { endless, endsAfter } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { no, questions } from "../helpers/talk.ts";

const rewrites = fileURLToPath(new URL("../fixtures/rewrites.ts", import.meta.url));
const orders = [
  { order: "after this one", cast: { beside: ["rewrites"] } },
  { order: "before this one", cast: { args: ["-e", rewrites], besideFirst: true } },
];

onEachHost((host) => {
  test.for(orders)(
    "a prompt that another extension, loaded $order, says in its own words is the person's, once each [PersonActsThroughExtension]",
    async ({ cast: { besideFirst, ...cast } }) => {
      await using stage = await setStage(host, endless(), besideFirst ? { installed: [] } : {});
      const pi = await stage.rpc({ maxTurns: 2, ...cast });
      pi.onDialog(() => no);
      for (let time = 1; time <= 3; time++) {
        await pi.prompt(`?What is ${time}`);
        await pi.waitFor(({ type }) => type === "agent_settled");
      }
      expect(stage.model.requests.at(-1)?.lastUserText).toBe("Answer briefly: What is 3");
      expect(questions(pi)).toHaveLength(3);
      expect(stage.model.requests).toHaveLength(6);
    },
  );
});

onNewestHost((host) => {
  test("a prompt that is run is used up: what an extension sends after it refreshes nothing [ProgramContinues]", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc({
      maxTurns: 2,
      beside: ["rewrites", "continues"],
      env: { AUTO_CONTINUE_TIMES: "2" },
    });
    await pi.prompt("?What is it");
    pi.answer(await pi.nextDialog(), no);
    expect(stage.model.requests).toHaveLength(2);
  });
});

await onNewestTerminal((host) => {
  test("at a terminal, a prompt that another extension says in its own words is the person's [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, endless(), { installed: [] });
    const pi = await stage.tui({ maxTurns: 1, args: ["-e", rewrites] });
    for (let time = 1; time <= 2; time++) {
      await pi.submit(`?What is ${time}`);
      await pi.waitFor("→ Yes");
      await pi.type("n");
      await pi.waitUntilGone("→ Yes");
      await pi.waitUntilGone("Working");
    }
    expect(stage.model.requests).toHaveLength(2);
  });
});
