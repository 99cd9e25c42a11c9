import type { Max } from "turn-limit";
import { type Amount, BY, counted, EXTEND, saidExtension, whyNoBy, whyNoExtension } from "../core.ts";
import { amountAfter, type Setting, type TextForm } from "./setting.ts";

/** How many rounds more a run that gets somewhere has, and how much each admits. */
export function extension(amount: Amount): { extend: Setting<number>; extendBy: Setting<number> } {
  const isNone = (value: number, max: Max) => value > 0 && max === "unlimited";
  const extend = amountAfter(EXTEND, counted(0), {
    description:
      "How many more rounds follow without a question while the run gets somewhere. A project may lower this, not raise it.",
  });
  const extendBy = amountAfter(BY, amount, {
    description:
      "How much each of these rounds admits. 0: as much as the limit. Only counts in your own settings.",
  });
  return {
    extend: {
      ...extend,
      objection: (theirs, yours) =>
        theirs > yours ? `a project may extend your limit ${yours} times at most` : undefined,
      hasNoEffect: isNone,
      inText: {
        ...(extend.inText as TextForm<number>),
        called: `an extension (${EXTEND} 3 ${BY} ${amount.example})`,
        phrase: {
          read(words) {
            const said = saidExtension(words, amount, OR_NONE);
            if (!said) return undefined;
            const { rest, ...values } = said;
            return { values, rest };
          },
          whyNot: (words) => whyNoExtension(words, amount, OR_NONE),
        },
      },
    },
    extendBy: {
      ...extendBy,
      name: (noun) => `${noun} extension`,
      objection: (theirs, yours) =>
        theirs === yours ? undefined : "only you say by how much it is extended",
      hasNoEffect: isNone,
      inText: {
        ...(extendBy.inText as TextForm<number>),
        called: undefined,
        within: { setting: EXTEND, whyNot: whyNoBy(amount) },
      },
    },
  };
}

/** A text holds over what is configured, so that it can also say that there is none. */
const OR_NONE = { canBeNone: true } as const;
