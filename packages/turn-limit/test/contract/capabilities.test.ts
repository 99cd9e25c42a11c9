import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Capabilities, ScriptedHost } from "../../src/testing/scripted-host.ts";

const HOSTS = join(import.meta.dirname, "..", "hosts");
const PAGE = join(import.meta.dirname, "..", "..", "docs", "adapters.md");
const names: Record<keyof Capabilities, string> = {
  ask: "ask",
  steps: "steps",
  wrapUp: "wrap-up",
  synthesize: "answer without tools",
  abort: "abort",
  streaming: "streaming",
  retries: "a retry is the same turn",
  requests: "every request counts for requests",
  usage: "usage",
  spending: "tokens and cost",
  time: "time, also midway",
  calls: "single tools, repeats",
  configure: "limits changed during a run",
  selfCheck: "self-check",
  forgets: "nothing stays in the conversation",
  classTools: "tools of classes",
  approvals: "approvals",
  structured: "structured answers",
  finalTool: "final tools",
  forcedTool: "the model is made to call it",
  endRule: "the host's own rules",
  transparent: "transparent while no limit is reached",
  runsAtOnce: "several runs at once",
};

async function hosts(): Promise<ScriptedHost[]> {
  const files = readdirSync(HOSTS).filter((name) => name.endsWith(".ts"));
  const modules = await Promise.all(files.map((name) => import(join(HOSTS, name))));
  return modules.map(({ host }: { host: ScriptedHost }) => host);
}

function row(cells: string[]): string {
  return `| ${cells.join(" | ")} |`;
}

test("the documentation says what the contract covers, and which adapter cannot do what, and why", async () => {
  const exceptions = (await hosts()).flatMap(({ name, can }) => {
    const reasons = new Set(Object.values(can).filter((why) => why !== true));
    const missing = (reason: string) =>
      (Object.keys(names) as (keyof Capabilities)[])
        .filter((key) => can[key] === reason)
        .map((key) => names[key]);
    return [...reasons].map((reason) => row([`\`${name}\``, missing(reason).join(", "), reason]));
  });
  const table = [row(["adapter", "not", "because"]), "|---|---|---|", ...exceptions];
  const page = readFileSync(PAGE, "utf8");
  expect(page).toContain(table.join("\n"));
  const covered = page.slice(
    page.indexOf("All adapters keep one contract"),
    page.indexOf("These are the exceptions"),
  );
  for (const capability of Object.values(names)) expect(covered).toContain(capability);
});
