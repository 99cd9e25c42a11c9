import { optionsAndRest, valuesOf } from "./command-line.ts";
import type { NamedSession } from "./launcher.ts";

const NAME = "--session-id";
const RESUME = ["-r", "--resume"];
/** With one of these, another session is chosen, or a new one is made of it. */
const CHOOSES = /^(?:-[a-z]*[rc]|--resume|--continue|--fork-session|--session-file)(?:=|$)/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What is said of the session on the command lines of Gemini CLI and Qwen Code, which have the same options for it. */
export function namedSession(args: readonly string[]): NamedSession | undefined {
  const [options, rest] = optionsAndRest(args);
  const choosing = options.filter((option) => CHOOSES.test(option));
  const named = valuesOf(args, NAME).at(-1);
  const resumed = valuesOf(args, ...RESUME).at(-1);
  if (choosing.length === 0 && named !== undefined) return { args, session: named };
  if (choosing.length === 1 && resumed !== undefined && UUID.test(resumed)) return { args, session: resumed };
  if (choosing.length > 0) return undefined;
  const session = crypto.randomUUID();
  return { args: [NAME, session, ...options, ...rest], session };
}

/** The arguments with which such a session goes on. */
export function inNamedSession(
  session: string,
  options: readonly string[],
  prompt: string,
  isHeadless: boolean,
): string[] {
  return [...options, "--resume", session, isHeadless ? "--prompt" : "--prompt-interactive", prompt];
}
