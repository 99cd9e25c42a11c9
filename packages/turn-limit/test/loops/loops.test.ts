import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGovernor } from "../../src/index.ts";
import { Row } from "../model/row.ts";
import { HEALTHY, LOOPS, type Recorded } from "./recorded.ts";

const MAX = 3;
const TURNS = 60;

/** The turn before which the run is over, and the turn in which the first call is refused. */
interface Held {
  refused: number | undefined;
  ended: number | undefined;
}

/** Plays a run whose model goes on whatever it is told. */
function play({ turn }: Recorded, turns: number): Held {
  const governor = createGovernor({ turns: "unlimited", repeats: MAX });
  governor.prompt();
  const held: Held = { refused: undefined, ended: undefined };
  for (let index = 0; index < turns; index += 1) {
    if (governor.beforeTurn().kind !== "proceed") return { ...held, ended: index };
    turn(index).forEach(([tool, args, result], place) => {
      const id = `${index}.${place}`;
      if (governor.beforeStep({ id, tool, args }).kind === "proceed") governor.stepEnded({ id, result });
      else held.refused ??= index;
    });
    governor.turnEnded();
  }
  return held;
}

/** The same by the rule that compares calls and results to the letter, and nothing else. */
function playToTheLetter({ turn }: Recorded, turns: number): Held {
  const row = new Row();
  for (let index = 0; index < turns; index += 1) {
    row.turnBegins();
    for (const [place, [tool, args, result]] of turn(index).entries()) {
      const call = JSON.stringify([tool, args]);
      if (row.times(call).times >= MAX) return { refused: index, ended: index };
      row.began(`${place}`, call);
      row.ended(`${place}`, JSON.stringify(result));
    }
  }
  return { refused: undefined, ended: undefined };
}

const when = (turn: number | undefined) => (turn === undefined ? "–" : `turn ${turn + 1}`);

function table(): string {
  const lines = ["| a loop that people saw | to the letter | turn-limit |", "|---|---|---|"];
  for (const loop of LOOPS)
    lines.push(
      `| ${loop.what} (${loop.thread}) | ${when(playToTheLetter(loop, TURNS).refused)} | ${when(play(loop, TURNS).refused)} |`,
    );
  lines.push("", "| a healthy run that looks like one | to the letter | turn-limit |", "|---|---|---|");
  for (const run of HEALTHY)
    lines.push(
      `| ${run.what}${run.thread ? ` (${run.thread})` : ""} | ${when(playToTheLetter(run, run.turns).refused)} | ${when(play(run, run.turns).refused)} |`,
    );
  return lines.join("\n");
}

test("of ten loops that people saw eight are seen, four of them to the letter, and a seen one ends", () => {
  expect(LOOPS).toHaveLength(10);
  expect(LOOPS.filter((loop) => playToTheLetter(loop, TURNS).refused !== undefined)).toHaveLength(4);
  const held = LOOPS.map((loop) => play(loop, TURNS));
  expect(held.filter(({ refused }) => refused !== undefined)).toHaveLength(8);
  for (const { refused, ended } of held) expect(ended === undefined).toBe(refused === undefined);
});

test("of ten healthy runs that look like loops none is held", () => {
  expect(HEALTHY).toHaveLength(10);
  for (const run of HEALTHY)
    expect({ what: run.what, ...play(run, run.turns) }).toEqual({
      what: run.what,
      refused: undefined,
      ended: undefined,
    });
});

test("the documentation says when each is seen", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "loops.md"), "utf8");
  expect(page).toContain(table());
});
