import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Boundary, Reply } from "turn-limit";
import { type BoundaryStyle, type LimitTable, limitCalled } from "../limits/pi-limits.ts";
import { askWithMenu, type MenuQuestion } from "./boundary-menu.ts";
import { capitalised, titleOf } from "./limit-words.ts";

/** What a person is asked at the boundary of a limit. */
export function questionAbout({ limit, used, max }: Boundary, table?: LimitTable): MenuQuestion {
  const { unit, amount, asked } = limitCalled(limit, table);
  return {
    title: `${capitalised(titleOf(limit, table))} reached`,
    message: asked(used, max),
    unit,
    example: amount.example,
    parseAmount: (text) => {
      const more = amount.parseMore ? amount.parseMore(text) : amount.parse(text);
      return more === undefined || more === 0 ? undefined : more;
    },
  };
}

/** Asks whether the run may go on. Dismissing the question, or not being able to ask it, is a no. */
export async function mayContinue(
  ctx: ExtensionContext,
  ask: Ask,
  style: BoundaryStyle,
  signal: AbortSignal,
): Promise<Reply> {
  const question = questionAbout(ask);
  if (style === "menu") return askWithMenu(ctx.ui, question, signal);
  try {
    return await ctx.ui.confirm(question.title, `${question.message} Continue?`, { signal });
  } catch {
    return false;
  }
}
