import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { isOtherExtensionsCommand } from "./hear-person.ts";

const names = ["ask", "turn-limit", "turn-limits-too"];
const commands = names.map((name) => ({ name, source: "extension" }));
const pi = { getCommands: () => commands } as unknown as Pick<ExtensionAPI, "getCommands">;

test.for(["/ask", "/ask hello", "/a", "/sk", "/AK", "/too"])("%s is", (text) => {
  expect(isOtherExtensionsCommand(pi, text)).toBe(true);
});

test.for(["/turn-limit", "/turn-limit 5", "/ka", "/sk hello", "ask", "/", ""])("%s is not", (text) => {
  expect(isOtherExtensionsCommand(pi, text)).toBe(false);
});
