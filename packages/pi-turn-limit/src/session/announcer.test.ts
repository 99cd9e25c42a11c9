import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { afterEach, expect, test, vi } from "vitest";
import { named } from "../../test/helpers/named.ts";
import { Announcer } from "./announcer.ts";

const inPrintMode = { hasUI: false, mode: "print" } as ExtensionContext;
const stop = {
  kind: "stop",
  outcome: "stopped",
  ...named("time"),
  used: 1_000,
  max: 1_000,
  raises: false,
} as const;

afterEach(() => vi.restoreAllMocks());

test("where Pi is part of another program, the reason is said and the program's exit code is its own", () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const announcer = new Announcer({} as ExtensionAPI, inPrintMode);
  announcer.stopped(stop, false);
  announcer.ended();
  expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("Time limit reached (1s/1s)."));
  expect(process.exitCode).toBeUndefined();
});
