import { expect, test } from "vitest";
import { limit, limits } from "../../../test/helpers/limits-panel.ts";
import { limitsTable } from "./limits-table.ts";

test("the limits are a table with one line each", () => {
  expect(limitsTable(limits, false)).toBe(
    `
Limit       Used   Max    %  From
Turns         12    25   48  default · grace 3
Steps         31     ∞    –  default
Tokens      182k  200k   91  your settings, /home/someone/.pi/agent/turn-limit.json
bash calls    10    10  100  /step-limit in this session · synthesize`.slice(1),
  );
});

test("agents that took some of a limit are under it", () => {
  const row = limit({ agents: [{ name: "Look into it", used: "5" }] });
  expect(limitsTable([row], false)).toBe(
    `
Limit           Used  Max   %  From
Turns             12   25  48  default
  Look into it     5`.slice(1),
  );
});

test("no line ends with blanks, and no limit takes two lines", () => {
  expect(limitsTable([limit({ label: "a\nb", source: "" })], false)).toBe(
    "Limit  Used  Max   %  From\na b      12   25  48",
  );
});

test("of an idle agent it shows what the last run took", () => {
  expect(limitsTable([limit()], true)).toBe(
    "Limit  Last run  Max   %  From\nTurns        12   25  48  default",
  );
});
