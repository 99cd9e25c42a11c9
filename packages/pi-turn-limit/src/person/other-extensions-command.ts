import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { OWN_COMMANDS } from "../limits/own-commands.ts";

/** Is this a command of another extension, or as much of its name as the editor completes? */
export function isOtherExtensionsCommand(pi: Pick<ExtensionAPI, "getCommands">, text: string): boolean {
  const [, typed, rest] = /^\/(\S+)(.*)/s.exec(text) ?? [];
  if (typed === undefined || OWN_COMMANDS.has(typed)) return false;
  const theirs = pi
    .getCommands()
    .filter(({ name, source }) => source === "extension" && !OWN_COMMANDS.has(name));
  // The editor completes a name, and nothing that something follows.
  return theirs.some(({ name }) => name === typed || (rest === "" && completes(typed, name)));
}

/** Pi's editor completes a name from any of its letters, in their order. */
function completes(typed: string, name: string): boolean {
  let found = 0;
  for (const letter of name.toLowerCase()) if (letter === typed[found]?.toLowerCase()) found += 1;
  return found === typed.length;
}
