import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { matches, plain } from "../../../test/helpers/limits-panel.ts";
import { named } from "../../../test/helpers/named.ts";
import { unheard } from "../../../test/helpers/unheard.ts";
import { askOnScreen, type ScreenUi } from "./ask-on-screen.ts";
import { questionAbout } from "./question.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const question = questionAbout({ ...named("turns"), used: 25, max: 25 }, "confirm");

/** Pi's terminal: an editor that has the keys, and what is shown above it. */
function terminal({ knowsFocus = true } = {}) {
  const seen = { text: "", widget: undefined as object | undefined, asking: false };
  const editor = { getText: () => seen.text };
  const listeners = new Set<(data: string) => { consume?: boolean } | undefined>();
  const tui = { requestRender: () => {}, ...(knowsFocus && { getFocusedComponent: () => editor }) };
  const ui = {
    custom: async (factory: (...args: unknown[]) => Promise<unknown>) => {
      seen.asking = true;
      await factory(tui, plain, { matches }, () => {}).finally(() => {
        seen.asking = false;
      });
    },
    getEditorText: () => seen.text,
    onTerminalInput: (listener: (data: string) => { consume?: boolean } | undefined) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    pasteToEditor: (text: string) => {
      seen.text += text;
    },
    setWidget: (_key: string, factory?: (...args: unknown[]) => object) => {
      seen.widget = factory?.(tui, plain);
    },
  } as unknown as ScreenUi;
  const press = (...keys: string[]) => {
    for (const data of keys) {
      const taken = [...listeners].some((listener) => listener(data)?.consume);
      if (!taken && data >= " ") seen.text += data;
    }
  };
  const withdrawal = new AbortController();
  const reply = askOnScreen(ui, question, withdrawal.signal, unheard);
  return { seen, press, reply, withdrawal, listeners };
}

test.for([
  ["y", true],
  ["n", false],
] as const)("%s alone is an answer as soon as no word follows", async ([letter, answer]) => {
  const { press, reply, seen, listeners } = terminal();
  press(letter);
  await vi.advanceTimersByTimeAsync(499);
  expect(seen.widget).toBeDefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(await reply).toBe(answer);
  expect(seen).toEqual({ text: "", widget: undefined, asking: false });
  expect(listeners.size).toBe(0);
});

test("a word is no answer, however long one waits, and is in the editor letter by letter", async () => {
  const { press, seen } = terminal();
  press("n");
  await vi.advanceTimersByTimeAsync(400);
  press("o", "w");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toMatchObject({ text: "now", widget: expect.anything(), asking: true });
});

test("a question that is withdrawn is a no, and leaves nothing behind", async () => {
  const { reply, seen, listeners, withdrawal, press } = terminal();
  press("y");
  withdrawal.abort();
  expect(await reply).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toEqual({ text: "", widget: undefined, asking: false });
  expect(listeners.size).toBe(0);
});

test("the key after the answer is Pi's", async () => {
  const { reply, press, seen } = terminal();
  press("\r", "x");
  expect(await reply).toBe(true);
  expect(seen.text).toBe("x");
});

test("it cannot be asked here where Pi does not tell what has the keys", async () => {
  const { reply, seen } = terminal({ knowsFocus: false });
  expect(await reply).toBeUndefined();
  expect(seen.widget).toBeUndefined();
});
