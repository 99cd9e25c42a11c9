import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import type { Reply } from "turn-limit";

/** What a person is asked at the boundary. */
export interface MenuQuestion {
  /** For example `Turn limit reached`. */
  title: string;
  /** For example `You've used 25 turns.` */
  message: string;
  /** What is counted, for example `turns` or `tokens`. */
  unit: string;
  /** What an amount looks like, for example `10`, `50k`, `$2` or `5m`. */
  example: string;
  /** Reads an amount; `undefined` if it is not one, or zero. */
  parseAmount(text: string): number | undefined;
}

type Dialogs = Pick<ExtensionUIContext, "select" | "input">;

/** Asks how the run should go on. Dismissing the menu, or not being able to ask, is a no. */
export async function askWithMenu(ui: Dialogs, question: MenuQuestion, signal: AbortSignal): Promise<Reply> {
  try {
    return await choose(ui, question, signal);
  } catch {
    return false;
  }
}

async function choose(ui: Dialogs, question: MenuQuestion, signal: AbortSignal): Promise<Reply> {
  const someMore = `Continue with a number of ${question.unit}…`;
  const replies = new Map<string, Reply>([
    ["Continue", true],
    [someMore, false],
    ["Wrap up now", "wrap-up"],
    ["No limit for this run", "unlimited"],
    ["Stop", false],
  ]);
  while (!signal.aborted) {
    const choice = await ui.select(`${question.title}\n${question.message}`, [...replies.keys()], { signal });
    if (choice !== someMore) return replies.get(choice ?? "Stop") ?? false;
    const more = await askAmount(ui, question, signal);
    if (more !== undefined) return { more };
  }
  return false;
}

/** An amount, or `undefined` to go back. */
async function askAmount(
  ui: Dialogs,
  question: MenuQuestion,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { unit, example } = question;
  // Pi's terminal does not show the placeholder.
  const allowed = `Allowed: an amount above zero, for example ${example}.`;
  let title = `How many more ${unit}?\n${allowed}`;
  while (!signal.aborted) {
    const text = await ui.input(title, example, { signal });
    if (text === undefined) return undefined;
    const amount = question.parseAmount(text.trim());
    if (amount !== undefined) return amount;
    title = `${JSON.stringify(text)} is not a number of ${unit}.\n${allowed}`;
  }
  return undefined;
}
