import { requireTell, type Tell } from "../core/limits/tell.ts";
import { saidTell } from "../core/text/said-tell.ts";
import { wrongInput } from "./command-error.ts";

/**
 * Reads `--tell`, `--tell 50,90` and `--tell every-turn`: when the model is told what it has left. `message`: the line that it is
 * told instead of ours.
 */
export function readTell(given: string | true | undefined, message?: string): Tell {
  const tell = given === undefined || given === true ? requireTell(given, "tell") : saidTell(given);
  if (tell === undefined)
    throw wrongInput(
      `${JSON.stringify(given)} from --tell is not when to tell the model what it has left. Use shares in percent, above 0 ` +
        "and up to 100, such as 80,90,95, or every-turn, or --tell alone.",
    );
  if (message === undefined) return tell;
  if (tell === false) throw wrongInput("--tell-message needs --tell, which says when the model is told.");
  try {
    return requireTell({ ...tell, message }, "tell");
  } catch {
    throw wrongInput(
      `${JSON.stringify(message)} from --tell-message says nothing of a limit. Use a text with at least one of {limit}, {used}, ` +
        "{max}, {left}, {share} and {end} in it, and nothing else in braces.",
    );
  }
}
