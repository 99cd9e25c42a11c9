import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Reply } from "turn-limit";
import { expect, test } from "vitest";
import { named } from "../../../test/helpers/named.ts";
import { unheard } from "../../../test/helpers/unheard.ts";
import { askInDialogs, mayContinue } from "./may-continue.ts";
import { questionAbout } from "./question.ts";

const question = questionAbout({ ...named("turns"), used: 25, max: 25 }, "menu");
const SOME_MORE = "Continue with a number of turns…";

/** A person who gives these answers one after the other, and whatever they were asked. */
async function asked(...answers: (string | undefined)[]) {
  const titles: string[] = [];
  const offered: string[][] = [];
  const next = () => {
    if (answers.length === 0) throw new Error("Nobody is there any more.");
    return Promise.resolve(answers.shift());
  };
  const ui = {
    confirm: async () => false,
    select: (title: string, options: string[]) => {
      titles.push(title);
      offered.push(options);
      return next();
    },
    input: (title: string) => {
      titles.push(title);
      return next();
    },
  };
  const reply = await askInDialogs(ui, question, new AbortController().signal, unheard);
  return { reply, titles, offered, unused: answers };
}

test.for<[string | undefined, Reply]>([
  ["Continue · another 25 turns", true],
  ["Wrap up now", "wrap-up"],
  ["No limit for this run", "unlimited"],
  ["Stop", false],
  [undefined, false],
  ["Something that was not offered", false],
])("%s is %j", async ([answer, reply]) => {
  expect((await asked(answer)).reply).toBe(reply);
});

test("the menu says what has happened and what can be done", async () => {
  const { titles, offered } = await asked("Stop");
  expect(titles).toEqual(["Turn limit reached\nYou've used 25 turns."]);
  expect(offered).toEqual([
    ["Continue · another 25 turns", SOME_MORE, "Wrap up now", "No limit for this run", "Stop"],
  ]);
});

test("a number of turns is asked for and given", async () => {
  const { reply, titles } = await asked(SOME_MORE, " 7 ");
  expect(reply).toEqual({ more: 7 });
  expect(titles[1]).toBe("How many more turns?\nUse an amount above zero, for example 10.");
});

test("what is no amount is asked for again, with what was wrong and what is allowed", async () => {
  const { reply, titles } = await asked(SOME_MORE, "many", "", "7");
  expect(reply).toEqual({ more: 7 });
  expect(titles.slice(2)).toEqual([
    '"many" is not a number of turns.\nUse an amount above zero, for example 10.',
    '"" is not a number of turns.\nUse an amount above zero, for example 10.',
  ]);
});

test("Escape at the amount leads back to the menu", async () => {
  const { reply, titles } = await asked(SOME_MORE, undefined, "Wrap up now");
  expect(reply).toBe("wrap-up");
  expect(titles[2]).toBe(titles[0]);
});

test("a question that is called off is a no, and is not asked again", async () => {
  const calledOff = new AbortController();
  const dialogs: string[] = [];
  const ui = {
    confirm: async () => false,
    select: async () => {
      dialogs.push("menu");
      return SOME_MORE;
    },
    input: async () => {
      dialogs.push("amount");
      calledOff.abort();
      return undefined;
    },
  };
  expect(await askInDialogs(ui, question, calledOff.signal, unheard)).toBe(false);
  expect(dialogs).toEqual(["menu", "amount"]);
});

test.for(["confirm", "menu"] as const)("a %s that fails is a no", async (style) => {
  const fail = () => Promise.reject(new Error("Nobody is there any more."));
  const ctx = { mode: "rpc", ui: { confirm: fail, select: fail } } as unknown as ExtensionContext;
  const ask = { kind: "ask", ...named("turns"), used: 1, max: 1, id: 1 } as const;
  expect(await mayContinue(ctx, ask, style, new AbortController().signal, unheard)).toBe(false);
});
