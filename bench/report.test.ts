import { expect, test } from "vitest";
import { type Measurement, rowOf } from "./measurement.ts";
import { cellsOf, headings } from "./report.ts";

const atLeast = { atLeast: 0.7, compared: "times" } as const;
const atMost = { atMost: 1.05, compared: "times" } as const;

/** What stands in the last column. Every round is the same, unless there are several numbers. */
function verdict(
  { now, base, floor }: { now: number[]; base?: number[]; floor?: number[] },
  goal: Measurement["goal"],
  unit: Measurement["unit"] = "per second",
): string | undefined {
  const rounds = (values: number[]) =>
    Array.from({ length: 6 }, (_, round) => values[round % values.length] as number);
  const row = rowOf({
    figure: "a figure",
    unit,
    now: rounds(now),
    base: base && { name: "bare", samples: rounds(base) },
    floor: floor && { name: "least", samples: rounds(floor) },
    goal,
  });
  return cellsOf(row)[headings.indexOf("verdict")];
}

test("a goal is met or missed, and said to be within the noise where rounds disagree", () => {
  expect(verdict({ now: [70], base: [100] }, atLeast)).toBe("met");
  expect(verdict({ now: [69], base: [100] }, atLeast)).toBe("missed");
  expect(verdict({ now: [60, 60, 75], base: [100] }, atLeast)).toBe("missed, within the noise");
  expect(verdict({ now: [60], base: [100] }, undefined)).toBe("");
});

test("a goal that the floor misses as well is out of reach, and the verdict says how ours stands to the floor", () => {
  const base = [100];
  expect(verdict({ now: [50.4], base, floor: [56] }, atLeast)).toBe(
    "missed: out of reach, the floor is 0.56 (ours is 0.90 of it)",
  );
  expect(verdict({ now: [140], base, floor: [125] }, atMost, "ns")).toBe(
    "missed: out of reach, the floor is 1.25 (ours is 1.12 times it)",
  );
  expect(verdict({ now: [140], base, floor: [125] }, { atMost: 20, compared: "more" }, "ns")).toBe(
    "missed: out of reach, the floor is 25.0 ns (ours is 15.0 ns over it)",
  );
  expect(verdict({ now: [9], floor: [6] }, { atMost: 5 }, "bytes")).toBe(
    "missed: out of reach, the floor is 6 bytes (ours is 1.50 times it)",
  );
  expect(verdict({ now: [40], base, floor: [60, 60, 75] }, atLeast)).toBe(
    "missed: perhaps out of reach, the floor is 0.60 (ours is 0.67 of it)",
  );
});

test("a goal that the floor meets, or that is about the floor, is in reach", () => {
  const base = [100];
  expect(verdict({ now: [60], base, floor: [71] }, atLeast)).toBe("missed");
  expect(verdict({ now: [72], base, floor: [60] }, atLeast)).toBe("met");
  expect(
    verdict({ now: [140], base, floor: [125] }, { atMost: 10, compared: "more", than: "floor" }, "ns"),
  ).toBe("missed");
  expect(
    verdict({ now: [140], base, floor: [125] }, { atMost: 5, compared: "more", orFloor: true }, "ns"),
  ).toBe("missed");
});
