import { StringDecoder } from "node:string_decoder";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { OWN_COMMANDS } from "../limits/own-commands.ts";
import { isPisOwnProcess } from "../pi-process.ts";
import { isDismissal, sendsText } from "./key-press.ts";
import type { Person } from "./person.ts";

/**
 * Listens to the terminal, or to the client over RPC, for what a person does that Pi has no event for: giving a command, and
 * replying in a dialog. Returns how to stop that.
 */
export function hearPerson(pi: ExtensionAPI, { mode, ui }: ExtensionContext, person: Person): () => void {
  // Must not throw: Pi would end. The session may have ended meanwhile, and then nothing of it can be used any more.
  const sent = (text: () => string) => {
    try {
      // Enter is for our screen, whatever is in the editor behind it.
      if (!person.isAtOurScreen && isForAnExtension(pi, text().trim())) person.commanded();
    } catch {
      person.passed();
    }
  };
  if (mode === "tui")
    return ui.onTerminalInput((keys) => {
      person.moved(isDismissal(keys) ? "dismisses" : "replies");
      if (sendsText(keys)) sent(() => ui.getEditorText());
      return undefined;
    });
  // Where Pi is part of another program, its stdin is not a client of Pi.
  if (mode === "rpc" && isPisOwnProcess())
    return hearFirst(
      process.stdin,
      readLines((line) => hearClient(line, sent, person)),
    );
  return () => {};
}

/** May an extension do something with it? Of a prompt, too, one can make a message of its own. */
function isForAnExtension(pi: ExtensionAPI, text: string): boolean {
  return /^[^/!]/.test(text) || isOtherExtensionsCommand(pi, text);
}

function hearClient(line: string, sent: (text: () => string) => void, person: Person): void {
  // A line may be long, an image for example, and only these two matter.
  if (!/"(prompt|extension_ui_response)"/.test(line)) return;
  const said = parsed(line);
  if (said?.type === "prompt") sent(() => String(said.message));
  if (said?.type !== "extension_ui_response") return;
  person.moved(said.cancelled ? "dismisses" : "replies");
  // Pi does not tell that a dialog closes while ours is open. If this is the reply to ours, that is known in a moment.
  if (!said.cancelled && person.isAtOurQuestion) person.repliedElsewhere();
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function readLines(heard: (line: string) => void): (chunk: Buffer | string) => void {
  const decoder = new StringDecoder("utf8");
  let begun = "";
  return (chunk) => {
    const lines = (begun + (typeof chunk === "string" ? chunk : decoder.write(chunk))).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) heard(line);
  };
}

/**
 * Listens to a stream before its other readers, without starting to read: data that no other reader takes yet would be
 * lost.
 */
function hearFirst(stream: NodeJS.ReadStream, listener: (chunk: Buffer | string) => void): () => void {
  const readerComes = (event: string | symbol) => {
    if (event !== "data") return;
    stream.off("newListener", readerComes);
    stream.prependListener("data", listener);
  };
  if (stream.listenerCount("data") > 0) stream.prependListener("data", listener);
  else stream.on("newListener", readerComes);
  return () => {
    stream.off("newListener", readerComes);
    stream.off("data", listener);
  };
}

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
