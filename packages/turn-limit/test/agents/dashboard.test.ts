import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
  type AgentName,
  browserAvailable,
  byKind,
  commandOf,
  kindOf,
  openBrowser,
  openTerminal,
  PHONE,
  prepareAgent,
  runAgent,
  startScriptedProvider,
  textOfRole,
  worksFor,
  worksForever,
} from "@turn-limit/rig";
import { expect, onTestFinished, test } from "vitest";
import { BIN, countsOf, underLimits } from "./under-run.ts";

const AGENTS: [AgentName, string][] = [
  ["claude-code", "Claude Code"],
  ["codex", "Codex"],
  ["opencode", "opencode"],
];
const LINK = /open\s+(\S+\/#\w+),/;

test.skipIf(!browserAvailable).for(AGENTS)(
  "a question of %s is answered on the page and closes on the terminal, and one answered there closes on the page",
  async ([name]) => {
    await using provider = await startScriptedProvider(byKind({ main: worksForever() }));
    await using agent = await prepareAgent(name, { providerAddress: provider.address });
    await using browser = await openBrowser();
    const limits = underLimits(["--max-turns", "2", "--dashboard"]);
    await using terminal = await openTerminal({
      folder: agent.root,
      command: commandOf(agent, agent.kind.headless("Go.", []), limits),
      cwd: agent.project,
      env: agent.env,
      ...{ cols: 150, rows: 120, ready: "Continue?" },
    });
    const turns = () => countsOf(provider).main;
    const [, link = ""] = LINK.exec(await terminal.screen()) ?? [];
    const page = await browser.pair(link, PHONE);

    expect(turns()).toBe(2);
    await page.getByRole("button", { name: "Yes, another 2 turns" }).click();
    await terminal.waitFor("turn-limit: Answered on a browser on Linux: yes, another 2 turns.");
    const screen = await terminal.waitFor(/Answered on a browser[\s\S]*Continue\?/);
    expect(screen.match(/Continue\?/g)).toHaveLength(1);
    expect(turns()).toBe(4);

    await page.getByRole("button", { name: "No", exact: true }).waitFor();
    await terminal.submit("n");
    await page.getByText("Answered in the terminal: no.").first().waitFor();
    await terminal.waitFor("turn-limit: stopped by a person at 2/2 turns");
    expect(turns()).toBe(4);
    expect(browser.problems).toEqual([]);
  },
);

/** The dashboard of an agent's store, as a person starts it. */
async function dashboardOf({ env }: { env: Readonly<Record<string, string>> }, store: string) {
  const child = spawn(process.execPath, [BIN, "dashboard", "--store", store, "--port", "0"], {
    ...{ env, detached: true, stdio: ["ignore", "pipe", "pipe"] },
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      out += chunk;
    });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  await expect.poll(() => out).toMatch(LINK);
  return { link: LINK.exec(out)?.[1] ?? "", out: () => out };
}

test.skipIf(!browserAvailable).for(AGENTS)(
  "%s is parked at its third turn, and a yes on the page starts it again, with its conversation",
  async ([name, called]) => {
    await using provider = await startScriptedProvider(byKind({ main: worksFor(4) }));
    await using agent = await prepareAgent(name, { providerAddress: provider.address });
    await using browser = await openBrowser();
    const store = join(agent.root, "runs.sqlite");
    const parking = underLimits(["--max-turns", "3", "--unanswered", "park", "--store", store]);
    const { code } = await runAgent(agent, { prompt: "Count the blue herons.", wrapWith: parking });
    const turns = () => countsOf(provider).main;
    expect({ code, turns: turns() }).toEqual({ code: 87, turns: 3 });

    const { link, out } = await dashboardOf(agent, store);
    const page = await browser.pair(link, PHONE);
    await page.getByRole("button", { name: "Yes, another 3 turns" }).click();
    await page.getByText(/ goes on\.$/).waitFor();
    await expect.poll(out).toMatch(`turn-limit: completed (${called}) · 5 turns · `);
    expect(out()).toContain(" goes on. Answered on a browser on Linux: yes, another 3 turns.");
    expect(out()).toContain("All done.");
    expect(turns()).toBe(5);
    const fourth = provider.requests.filter((request) => kindOf(request) === "main")[3];
    expect(fourth && textOfRole(fourth, "user")).toContain("Count the blue herons.");
    expect(fourth && textOfRole(fourth, "tool")).toMatch(/turn 1.*turn 2.*turn 3/s);
    expect(browser.problems).toEqual([]);
  },
);
