import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  createSandbox,
  deferred,
  endsAfter,
  fails,
  findHosts,
  openRpc,
  openTui,
  runJson,
  runPrint,
  says,
  sequence,
  slow,
  stalls,
  startScriptedModel,
  tmuxAvailable,
} from "./index.ts";

const { hosts, missing } = await findHosts();
const hasTmux = await tmuxAvailable();
const asksAndTells = fileURLToPath(new URL("../fixtures/asks-and-tells.ts", import.meta.url));

test("every host is there", () => {
  expect(missing).toEqual([]);
});

const how = { concurrent: true };

// What every test of the extension needs.
describe.each(hosts)("$name", how, (host) => {
  test("print mode makes one request for each turn and prints the answer", async ({ expect }) => {
    await using model = await startScriptedModel(endsAfter(3, "Three turns."));
    await using sandbox = await createSandbox(model);
    const { code, stdout } = await runPrint({ host, sandbox, prompt: "Go." });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Three turns.\n" });
    expect(model.requests).toHaveLength(3);
    expect(model.requests[0]).toMatchObject({
      lastUserText: "Go.",
      toolNames: ["read", "bash", "edit", "write"],
    });
  });

  test("an overloaded provider is asked again, as a new request", async ({ expect }) => {
    await using model = await startScriptedModel(sequence([fails(529), says("Here at last.")]));
    await using sandbox = await createSandbox(model);
    const { events, code } = await runJson({ host, sandbox, prompt: "Go." });
    expect(code).toBe(0);
    expect(events.filter(({ type }) => type === "agent_start")).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: "agent_settled" });
    expect(model.requests).toHaveLength(2);
  });

  test("RPC mode settles after each prompt", async ({ expect }) => {
    await using model = await startScriptedModel(endsAfter(2));
    await using sandbox = await createSandbox(model);
    await using pi = await openRpc({ host, sandbox });
    await pi.prompt("One.");
    await pi.settled();
    expect(model.requests).toHaveLength(2);
    await pi.prompt("Two.");
    await pi.settled();
    expect(model.requests).toHaveLength(4);
  });

  test("a steering message reaches a run that is held open", async ({ expect }) => {
    const gate = deferred();
    await using model = await startScriptedModel(sequence([slow(says("First."), gate.promise)]));
    await using sandbox = await createSandbox(model);
    await using pi = await openRpc({ host, sandbox });
    await pi.prompt("Go.");
    await model.waitForRequest(1);
    await pi.steer("And then?");
    gate.resolve();
    await pi.settled();
    expect(model.requests.map((request) => request.lastUserText)).toEqual(["Go.", "And then?"]);
  });

  test("a stalled request can be aborted", async ({ expect }) => {
    await using model = await startScriptedModel(() => stalls());
    await using sandbox = await createSandbox(model);
    await using pi = await openRpc({ host, sandbox });
    await pi.prompt("Go.");
    await model.waitForRequest(1);
    await pi.abort();
    await pi.settled();
    expect(model.requests).toHaveLength(1);
  });

  test("RPC mode shows widgets and notifications, and a handler answers dialogs", async ({ expect }) => {
    await using model = await startScriptedModel(endsAfter(1));
    await using sandbox = await createSandbox(model);
    await using pi = await openRpc({ host, sandbox, args: ["-e", asksAndTells] });
    expect(pi.widget("greeting")).toEqual(["Hello.", "Line\u2028of two."]);
    pi.onDialog((dialog) => ({ confirmed: dialog.title === "A question" }));
    await pi.prompt("/ask");
    await pi.waitFor((event) => event.method === "notify");
    expect(pi.notifications).toEqual([{ message: "You said yes.", type: "warning" }]);
    await pi.waitFor((event) => event.method === "setWidget");
    expect(pi.widget("greeting")).toBeUndefined();
  });

  test.skipIf(!hasTmux)("a person answers a dialog with keys", async ({ expect }) => {
    await using model = await startScriptedModel(endsAfter(1));
    await using sandbox = await createSandbox(model);
    await using pi = await openTui({ host, sandbox, args: ["-e", asksAndTells] });
    await pi.submit("/ask");
    await pi.waitFor("Really?");
    await pi.press("Escape");
    expect(await pi.waitFor("You said no.")).not.toContain("Really?");
    await pi.waitUntilGone("Hello.");
  });
});

// What is the rig's own, whichever Pi it runs.
describe.each(hosts.slice(-1))("$name", how, (host) => {
  test("a second prompt starts its turns anew", async ({ expect }) => {
    await using model = await startScriptedModel(endsAfter(2));
    await using sandbox = await createSandbox(model);
    await runPrint({ host, sandbox, prompt: ["One.", "Two."] });
    expect(model.requests.map((request) => request.lastUserText)).toEqual(["One.", "One.", "Two.", "Two."]);
  });

  test("a run that does not end is killed and reported", async ({ expect }) => {
    await using model = await startScriptedModel(() => stalls());
    await using sandbox = await createSandbox(model);
    const run = runPrint({ host, sandbox, prompt: "Go.", timeoutMs: 4_000 });
    await expect(run).rejects.toThrow("did not end and was killed");
  });

  test("RPC mode leaves a dialog open until it is answered", async ({ expect }) => {
    await using model = await startScriptedModel(endsAfter(1));
    await using sandbox = await createSandbox(model);
    await using pi = await openRpc({ host, sandbox, args: ["-e", asksAndTells] });
    const asked = pi.prompt("/ask");
    pi.answer(await pi.nextDialog(), { cancelled: true });
    await asked;
    await pi.waitFor((event) => event.method === "notify");
    expect(pi.notifications).toEqual([{ message: "You said no.", type: "warning" }]);
  });

  test.each([
    { name: "trusted when the sandbox says so", trusted: true, projectSettings: {}, status: "trusted" },
    { name: "untrusted when the sandbox says so", trusted: false, status: "untrusted" },
    { name: "trusted while it holds nothing Pi would load", status: "trusted" },
    {
      name: "untrusted once it has settings and nobody can be asked",
      projectSettings: {},
      status: "untrusted",
    },
  ])("a project is $name", async ({ name: _name, status, ...furnishing }) => {
    await using model = await startScriptedModel(endsAfter(1));
    await using sandbox = await createSandbox({ ...model, ...furnishing });
    await sandbox.writeProjectConfig({ maxTurns: 5 });
    await using pi = await openRpc({ host, sandbox, args: ["-e", asksAndTells] });
    expect(pi.status("trust")).toBe(status);
  });

  test.skipIf(!hasTmux)("the terminal shows the answer", async ({ expect }) => {
    await using model = await startScriptedModel(endsAfter(2, "Seen by a person."));
    await using sandbox = await createSandbox(model);
    await using pi = await openTui({ host, sandbox });
    await pi.submit("Go; on;");
    expect(await pi.waitFor("Seen by a person.")).toContain("echo turn 1");
    expect(model.requests.map((request) => request.lastUserText)).toEqual(["Go; on;", "Go; on;"]);
  });

  test.skipIf(!hasTmux)("the terminal shows what a Pi writes just before it ends", async ({ expect }) => {
    await using model = await startScriptedModel(endsAfter(1, "My last words."));
    await using sandbox = await createSandbox(model);
    await using pi = await openTui({ host, sandbox, args: ["-p", "Go."], ready: "My last words." });
    await expect.poll(pi.exitCode).toBe(0);
  });
});
