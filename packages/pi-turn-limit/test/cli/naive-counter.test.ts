import { fileURLToPath } from "node:url";
import {
  bash,
  calls,
  createSandbox,
  endless,
  endsAfter,
  fails,
  type ModelRequest,
  type PiHost,
  runPrint,
  type Script,
  says,
  startScriptedModel,
} from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url));
const maxTurns = 3;
const patience = 12;

/** Fails every third request, which Pi retries, and gives up after a while where nothing stops it. */
const flaky: Script = ({ index }: ModelRequest) => {
  if (index >= patience) return says("Nobody stopped me.");
  return index % 3 === 0 ? fails(529) : calls(bash("echo working"));
};

/** What a print run comes to with the obvious counter instead of the extension. */
async function naively(
  host: PiHost,
  script: Script,
  beside: string[] = [],
  env: Record<string, string> = {},
) {
  await using model = await startScriptedModel(script);
  await using sandbox = await createSandbox(model);
  const args = ["counts-naively", ...beside].flatMap((name) => ["-e", fixture(name)]);
  const { stderr } = await runPrint({
    host,
    sandbox,
    prompt: "Go.",
    args,
    env: { NAIVE_MAX_TURNS: `${maxTurns}`, ...env },
  });
  return { requests: model.requests.length, stderr };
}

onNewestHost((host) => {
  test("a counter that starts over at agent_start never trips while the provider is flaky; this one does", async () => {
    const naive = await naively(host, flaky);
    expect(naive.requests).toBe(patience);

    await using stage = await setStage(host, flaky);
    await stage.print("Go.", { maxTurns });
    expect(stage.model.requests).toHaveLength(maxTurns + 1);
  });

  test("a counter that starts over at agent_start gives an auto-continue extension a fresh budget each time; this one does not", async () => {
    const env = { AUTO_CONTINUE: "user-message", AUTO_CONTINUE_TIMES: "3" };
    const naive = await naively(host, endsAfter(2), ["continues"], env);
    expect(naive.requests).toBe(8);

    await using stage = await setStage(host, endsAfter(2));
    await stage.print("Go.", { maxTurns, beside: ["continues"], env });
    expect(stage.model.requests).toHaveLength(maxTurns);
  });

  test("an extension that only aborts leaves print mode without a reason; this one gives it", async () => {
    const naive = await naively(host, endless());
    expect(naive.requests).toBe(maxTurns);
    expect(naive.stderr).toContain("This operation was aborted");

    await using stage = await setStage(host, endless());
    const { stderr } = await stage.print("Go.", { maxTurns });
    expect(stderr).toContain("Turn limit reached (3/3)");
  });
});
