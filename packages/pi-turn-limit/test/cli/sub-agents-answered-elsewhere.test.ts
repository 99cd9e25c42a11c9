import { calls } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onNewestTerminal } from "../helpers/on-each-host.ts";
import { worksUntilToolsFree } from "../helpers/salvage.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { delegates, startsPi, subAgentRequests } from "../helpers/sub-agents.ts";
import { typed } from "../helpers/typed.ts";

interface Asking {
  id: string;
  questions: { id: string }[];
}

/** The question that is open, and where it is. */
async function openQuestion(stage: Stage): Promise<[pool: string, question: string]> {
  const { pools } = JSON.parse((await typed(stage, "pools", "--json")).out) as { pools: Asking[] };
  const asking = pools.find(({ questions }) => questions.length > 0);
  return [asking?.id ?? "", asking?.questions[0]?.id ?? ""];
}

await onNewestTerminal((host) => {
  test.for([
    ["--max-tokens", "400", "yes, another 400 tokens"],
    ["--max-turns", "4 per session", "yes, another 4 turns"],
  ])(
    "a yes to a sub-agent from another terminal counts as one here: %s %s",
    async ([flag = "", max = "", said]) => {
      const script = delegates(calls(startsPi(host)), worksUntilToolsFree());
      await using stage = await setStage(host, script, { installed: [] });
      const pi = await stage.tui({ args: [flag, max], rows: 50 });
      await pi.submit("Go.");
      await pi.waitFor("Sub-agent");
      expect(subAgentRequests(stage)).toHaveLength(3);
      const [pool, question] = await openQuestion(stage);
      expect((await typed(stage, "pools", "answer", pool, question, "yes")).code).toBe(0);
      await pi.waitFor(`Answered with turn-limit pools: ${said}.`);
      await stage.model.waitForRequest(8);
      await pi.waitFor("Continue?");
      // As much as was granted, and once.
      expect(subAgentRequests(stage)).toHaveLength(7);
      const late = await typed(stage, "pools", "answer", pool, question, "no");
      expect(late).toMatchObject({
        code: 1,
        err: expect.stringContaining(`with turn-limit pools: ${said}.`),
      });
      expect(late.err).toContain("Too late");
      await pi.press("n");
      await pi.waitUntilGone("Continue?");
      expect((await typed(stage, "grants")).out).toMatch(/with turn-limit pools.*no\s+in the terminal/s);
    },
  );
});
