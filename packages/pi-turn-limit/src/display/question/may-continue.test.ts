import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { named } from "../../../test/helpers/named.ts";
import { unheard } from "../../../test/helpers/unheard.ts";
import { mayContinue } from "./may-continue.ts";

test.for(["confirm", "menu"] as const)("a %s that fails is a no", async (style) => {
  const fail = () => Promise.reject(new Error("Nobody is there any more."));
  const ctx = { mode: "rpc", ui: { confirm: fail, select: fail } } as unknown as ExtensionContext;
  const ask = { kind: "ask", ...named("turns"), used: 1, max: 1, id: 1 } as const;
  expect(await mayContinue(ctx, ask, style, new AbortController().signal, unheard)).toBe(false);
});
