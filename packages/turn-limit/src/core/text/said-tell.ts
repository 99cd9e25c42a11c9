import { requireTell, type Tell } from "../limits/tell.ts";

/** What a person may write, in words. */
export const TELL_ALLOWED =
  "on, off, every-turn, or shares in percent above 0 and up to 100 such as 80,90,95";

const EVERY_TURN = /^every[ -]turn$/;

/** Reads `on`, `off`, `every-turn` or `50,90`: when the model is told what it has left. `undefined`: it says nothing of that. */
export function saidTell(text: string): Tell | undefined {
  const said = text.trim().toLowerCase();
  if (said === "on" || said === "off") return requireTell(said === "on", "tell");
  const shares = said.split(",").map((share) => Number(share.trim().replace(/%$/, "") || Number.NaN));
  try {
    return requireTell(EVERY_TURN.test(said) ? "every turn" : shares, "tell");
  } catch {
    return undefined;
  }
}

/** The same as it is written: `off`, `every-turn`, `80,90,95`. */
export function tellText(tell: Tell): string {
  if (tell === false) return "off";
  return tell.at === "every turn" ? "every-turn" : tell.at.join(",");
}
