import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { isFamily } from "../limits/pi-limit.ts";
import { limitTable } from "../limits/pi-limits.ts";
import { LimitsInForce } from "../settings/limits-in-force.ts";
import { registerFamilyCommand } from "./family-command.ts";

type Command = Parameters<ExtensionAPI["registerCommand"]>[1];

/** What Pi is offered after `/tool-limit `. */
async function offered(prefix: string): Promise<string[]> {
  const commands: Command[] = [];
  const pi = { registerCommand: (_name: string, command: Command) => commands.push(command) };
  const limits = new LimitsInForce(pi as unknown as ExtensionAPI);
  const tools = { names: ["bash", "read", "bash_output"], isEvery: true };
  for (const family of limitTable.filter(isFamily).filter(({ key }) => key === "tools")) {
    registerFamilyCommand(
      pi as unknown as ExtensionAPI,
      family,
      limits,
      () => tools,
      () => undefined,
    );
  }
  const items = await commands[0]?.getArgumentCompletions?.(prefix);
  return (items ?? []).map(({ value }) => value);
}

test.for<[string, string[]]>([
  ["", ["bash", "read", "bash_output", "help"]],
  ["ba", ["bash", "bash_output"]],
  ["bash", []],
  ["bash ", ["10", "30", "100", "30 stop", "unlimited", "default", "help"].map((text) => `bash ${text}`)],
  ["bash un", ["bash unlimited"]],
  ["bash 3", []],
  ["x", []],
])("after %j there is offered %j", async ([prefix, texts]) => {
  expect(await offered(prefix)).toEqual(texts);
});
