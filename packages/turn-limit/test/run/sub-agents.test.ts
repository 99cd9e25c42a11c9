import { describe, expect, test } from "vitest";
import type { PolicyBefore } from "../../src/index.ts";
import { alone, driven, held } from "../helpers/driven.ts";
import type { Driver } from "../helpers/driver.ts";
import { named } from "../helpers/named.ts";
import { rest } from "../helpers/person.ts";

async function takeTurn(driver: Driver): Promise<void> {
  await driver.admitTurn();
  driver.turnEnded();
}

describe("a sub-agent's turn", () => {
  test("is a turn of the run", async () => {
    const { driver } = alone({ turns: 2 });
    await takeTurn(driver);
    expect(await driver.admitSubAgentTurn()).toEqual({ kind: "proceed" });
    expect(driver.view.standings[0]).toMatchObject({ used: 2 });
  });

  test.each<[PolicyBefore<"turn">["headless"], object]>([
    ["stop", { kind: "stop", raises: false }],
    ["raise", { kind: "stop", raises: true }],
    ["synthesize", { kind: "synthesize" }],
  ])("does not begin where the run is to %s, and that is left to the main loop", async (headless, main) => {
    const { driver } = alone({ turns: { max: 1, onExhausted: headless } });
    await takeTurn(driver);
    const stop = { kind: "stop", ...named("turns"), used: 1, max: 1, outcome: "stopped", raises: false };
    for (let sub = 0; sub < 2; sub += 1) expect(await driver.admitSubAgentTurn()).toEqual(stop);
    expect(driver.view).toMatchObject({ status: "running", stop: null, synthesizing: false });
    expect(await driver.admitTurn()).toMatchObject({ ...main, limit: "turns" });
  });

  test("does not begin once the time is up, before anybody has told the time", async () => {
    const { driver, clock } = alone({ time: { max: 1_000, onExhausted: "synthesize" } });
    await takeTurn(driver);
    driver.turn.rest();
    clock.pass(1_000);
    expect(await driver.admitSubAgentTurn()).toMatchObject({ kind: "stop", ...named("time"), used: 1_000 });
    expect(await driver.admitTurn()).toMatchObject({ kind: "synthesize", limit: "time" });
  });

  test("does not begin while the tools-free turn is due or under way, nor after the run", async () => {
    const { driver } = alone({ steps: { max: 1, onExhausted: "synthesize" } });
    await takeTurn(driver);
    for (const id of ["1", "2"]) driver.refusal({ id, tool: "work" });
    expect((await driver.admitSubAgentTurn()).kind).toBe("stop");
    expect((await driver.admitTurn()).kind).toBe("synthesize");
    expect((await driver.admitSubAgentTurn()).kind).toBe("stop");
    driver.turnEnded();
    expect(driver.end()?.kind).toBe("salvaged");
    expect((await driver.admitSubAgentTurn()).kind).toBe("stop");
    expect(driver.outcome?.kind).toBe("salvaged");
  });

  test("is stopped with the run that is ending", async () => {
    const { driver } = alone({ steps: { max: 1, onExhausted: "raise" } });
    await takeTurn(driver);
    for (const id of ["1", "2"]) driver.refusal({ id, tool: "work" });
    expect(await driver.admitSubAgentTurn()).toMatchObject({ kind: "stop", ...named("steps"), raises: true });
  });

  test("waits for the person's reply as any other: a yes lets it begin, a no ends the run", async () => {
    const { driver, person } = driven({ turns: 1 });
    await takeTurn(driver);
    const first = driver.admitSubAgentTurn();
    await rest();
    await person.replies(true);
    expect(await first).toEqual({ kind: "proceed" });
    const second = driver.admitSubAgentTurn();
    await rest();
    await person.replies(false);
    expect(await second).toMatchObject({ kind: "stop", outcome: "declined" });
    expect(driver.end()).toMatchObject({ kind: "declined", limit: "turns" });
  });

  test("is not the tools-free one either if the person goes while it waits", async () => {
    const { driver, admission } = await held({ turns: { max: 1, headless: "synthesize" } });
    const sub = driver.admitSubAgentTurn();
    await rest();
    const main = admission.then(({ kind }) => kind);
    driver.configure({ ...driver.view.settings, canAsk: false });
    expect([(await sub).kind, await main]).toEqual(["stop", "synthesize"]);
  });

  test("that waits alone leaves the tools-free turn, too, if the person goes", async () => {
    const { driver } = driven({ turns: { max: 1, headless: "synthesize" } });
    await takeTurn(driver);
    const sub = driver.admitSubAgentTurn();
    await rest();
    driver.configure({ ...driver.view.settings, canAsk: false });
    expect(await sub).toMatchObject({ kind: "stop", limit: "turns", outcome: "stopped" });
    expect((await driver.admitTurn()).kind).toBe("synthesize");
  });
});
