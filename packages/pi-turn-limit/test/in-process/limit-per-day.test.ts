import { fauxAssistantMessage } from "@earendil-works/pi-ai";
import { expect, test } from "vitest";
import { managedPool } from "../../src/core.ts";
import { sqliteStore } from "../../src/core-sqlite.ts";
import { storeFile } from "../../src/settings/pi-folders.ts";
import { openSession } from "./open-session.ts";

type Opened = Awaited<ReturnType<typeof openSession>>;

/** Allows more turns today, as a person does in another terminal. */
async function allowElsewhere(turns: number): Promise<void> {
  const store = sqliteStore(storeFile());
  await managedPool({ id: "every session per day", per: "day", turns: 10, store }).extend("turns", turns);
  await store.close();
}

async function tell({ session, notes }: Opened, command: string): Promise<string | undefined> {
  await session.prompt(command);
  return notes.at(-1);
}

const settings = { config: { turns: { max: 10, per: "day" } }, person: {} };

test("after a run, what is shown of a day is what holds now, and not what the run saw", async () => {
  await using pi = await openSession(settings);
  pi.answersWith(fauxAssistantMessage("Done."));
  await pi.session.prompt("Go.");
  expect(pi.widgets.at(-2)).toBe("Turns: 1/25 · Turns today: 1/10");
  await allowElsewhere(5);
  expect(await tell(pi, "/limits")).toMatch(/Turns per day +1 +15 /);
  await allowElsewhere(5);
  expect(await tell(pi, "/turn-limit")).toContain("Turn limit per day: 10 per day (your settings, ");
  expect(await tell(pi, "/turn-limit")).toContain("Used: 1/20.");
});

test("a limit that is set after a run is shown with what was used of it before", async () => {
  await using pi = await openSession({ person: {} });
  await pi.session.prompt("/turn-limit 10 per day");
  pi.answersWith(fauxAssistantMessage("Done."), fauxAssistantMessage("Done."));
  await pi.session.prompt("Go.");
  await pi.session.prompt("/turn-limit default per day");
  await pi.session.prompt("Go.");
  expect(pi.widgets.slice(-2)).toEqual(["Turns: 1/25", undefined]);
  await pi.session.prompt("/turn-limit 20 per day");
  expect(pi.widgets.at(-1)).toBe("Turns: 0/25 · Turns today: 1/20");
});

test("a maximum that is new in the session takes the place of what was allowed today [NewMaximumEndsExtension]", async () => {
  await using pi = await openSession({ person: {} });
  await allowElsewhere(5);
  await pi.session.prompt("/turn-limit 7 per day");
  expect(await tell(pi, "/limits")).toMatch(/Turns per day +0 +7 /);
  await allowElsewhere(5);
  await pi.session.prompt("/turn-limit default per day");
  await pi.session.prompt("/turn-limit 7 per day");
  expect(await tell(pi, "/limits")).toMatch(/Turns per day +0 +12 /);
});

test("a session that starts leaves what was allowed today as it is", async () => {
  await using pi = await openSession(settings);
  await allowElsewhere(5);
  await pi.session.reload();
  expect(await tell(pi, "/limits")).toMatch(/Turns per day +0 +15 /);
});
