import { bash, calls, endless, says } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { heldAtFirst } from "../helpers/held-at-first.ts";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { tell } from "../helpers/talk.ts";

const settings = { turns: { max: 20, grace: 2 }, tools: { bash: 5 }, repeats: 4 };

/** The cells of each line of the table; what is in one cell has no two spaces in a row. */
function cellsOf(table: string): string[][] {
  return table.split("\n").map((line) => line.trim().split(/ {2,}/));
}

onNewestHost((host) => {
  test("an RPC client gets every limit as a table, with what is used and where it came from", async () => {
    await using stage = await setStage(host, endless());
    const file = await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc({ args: ["--max-tokens", "200k stop"], env: { PI_MAX_TIME: "10m" } });
    await tell(pi, "/step-limit 40 synthesize");
    const { message, type } = await tell(pi, "/limits");
    const mine = `your settings, ${file}`;
    expect(type).toBe("info");
    expect(cellsOf(message)).toEqual([
      ["Limit", "Used", "Max", "%", "From"],
      ["Turns", "0", "20", "0", `${mine} · grace 2`],
      ["Steps", "0", "40", "0", "/step-limit in this session · synthesize"],
      ["Tokens", "0", "200k", "0", "--max-tokens · stop"],
      ["Cost", "$0.00", "∞", "–", "default"],
      ["Time", "0s", "10m", "0", "PI_MAX_TIME"],
      ["bash calls", "0", "5", "0", mine],
      ["Repeats", "0", "4", "0", mine],
    ]);
  });

  test("in print mode the table is on stderr, and no request is sent", async () => {
    await using stage = await setStage(host, endless());
    const { code, stdout, stderr } = await stage.print("/limits", { maxTurns: 7 });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(cellsOf(stderr)[1]).toEqual(["Turns", "0", "7", "0", "--max-turns"]);
    expect(stage.model.requests).toEqual([]);
  });

  test("while the agent works the table shows where it stands", async () => {
    const { script, release } = heldAtFirst(calls(bash("echo worked")), () => says("All done."));
    await using stage = await setStage(host, ({ index, ...request }) =>
      index === 2 ? script({ ...request, index: 1 }) : calls(bash("echo worked")),
    );
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc();
    await pi.prompt("Go.");
    await stage.model.waitForRequest(2);
    const rows = cellsOf((await tell(pi, "/limits")).message);
    expect(rows.map((cells) => cells.slice(0, 4))).toEqual([
      ["Limit", "Used", "Max", "%"],
      ["Turns", "2", "20", "10"],
      ["Steps", "1", "∞", "–"],
      ["Tokens", "120", "∞", "–"],
      ["Cost", expect.any(String), "∞", "–"],
      ["Time", expect.stringMatching(/^\d+s$/), "∞", "–"],
      ["bash calls", "1", "5", "20"],
      ["Repeats", expect.any(String), "4", expect.any(String)],
    ]);
    release();
  });

  test("what else is said after /limits is refused, with what is allowed", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc();
    expect(await tell(pi, "/limits everything")).toEqual({
      message: 'Use /limits or /limits stats, not "everything".',
      type: "error",
    });
  });
});
