import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Capabilities, ScriptedHost } from "../../src/testing/scripted-host.ts";

const HOSTS = join(import.meta.dirname, "..", "hosts");
const README = join(import.meta.dirname, "..", "..", "README.md");
const columns: [keyof Capabilities, string][] = [
  ["ask", "ask"],
  ["steps", "steps"],
  ["wrapUp", "wrap-up"],
  ["synthesize", "synthesize"],
  ["abort", "abort"],
  ["streaming", "streaming"],
  ["retries", "a retry is the same turn"],
  ["usage", "usage"],
  ["spending", "tokens, cost"],
  ["time", "time, also midway"],
  ["calls", "single tools, repeats"],
  ["configure", "limits changed during a run"],
  ["selfCheck", "self-check"],
];

async function hosts(): Promise<ScriptedHost[]> {
  const files = readdirSync(HOSTS).filter((name) => name.endsWith(".ts"));
  const modules = await Promise.all(files.map((name) => import(join(HOSTS, name))));
  return modules.map(({ host }: { host: ScriptedHost }) => host);
}

function row(cells: string[]): string {
  return `| ${cells.join(" | ")} |`;
}

test("the README's table says what each adapter can do, and why not where it cannot", {
  timeout: 60_000,
}, async () => {
  const table = [
    row(["adapter", ...columns.map(([, name]) => name)]),
    row(["---", ...columns.map(() => "---")]),
    ...(await hosts()).map(({ name, can }) =>
      row([`\`${name}\``, ...columns.map(([key]) => (can[key] === true ? "yes" : `no: ${can[key]}`))]),
    ),
  ];
  expect(readFileSync(README, "utf8")).toContain(table.join("\n"));
});
