import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { limitLoop } from "../../src/adapters/loop/index.ts";

const round: { self?: unknown } = {};
round.self = round;
const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
const guarded = Object.defineProperty({}, "text", {
  enumerable: true,
  get: () => {
    throw new Error("no");
  },
});
const closed = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Error("no");
    },
  },
);

/** How many of so many calls ran that are all the same to the model. */
async function ran(turns: number, args: () => unknown, result: () => unknown): Promise<number> {
  const limits = limitLoop({ turns, repeats: { max: 2, onExhausted: "stop" } });
  let calls = 0;
  limits.begin();
  while (await limits.nextTurn()) {
    limits.turnEnded();
    const call = { tool: "look", args: args() };
    if ((await limits.refusal(call)) !== undefined) continue;
    const given = result();
    expect(await limits.execute(call, () => given)).toBe(given);
    calls += 1;
  }
  limits.end();
  return calls;
}

test.for([
  ["one that contains itself", round],
  ["one that is nested 20,000 deep", deep],
  ["one whose field throws", guarded],
  ["one that cannot be looked into", closed],
] as const)("what cannot be compared is no repeat, and harms no run: %s", async ([, value]) => {
  expect(
    await ran(
      5,
      () => value,
      () => "same",
    ),
  ).toBe(5);
  expect(
    await ran(
      5,
      () => ({}),
      () => value,
    ),
  ).toBe(5);
});

test.for([
  ["a buffer", (byte: number) => Buffer.alloc(3_000_000, byte)],
  ["an array of bytes", (byte: number) => new Uint8Array(3_000_000).fill(byte)],
  ["the bytes of a picture in a result", (byte: number) => ({ image: new Uint8Array(3_000_000).fill(byte) })],
] as const)("bytes are compared as bytes: %s", async ([, bytes]) => {
  let next = 0;
  expect(
    await ran(
      5,
      () => ({}),
      () => bytes(7),
    ),
  ).toBe(2);
  expect(
    await ran(
      5,
      () => ({}),
      () => bytes(next++),
    ),
  ).toBe(5);
});

test.for([
  ["a result", `'"' + "took".repeat(500_000)`, "sameResult(text)"],
  ["a command", `"timeout -".repeat(200_000)`, 'sameCall({ tool: "bash", args: { command: text } })'],
] as const)("no text makes comparing hang: %s", async ([, text, compare]) => {
  const module = new URL("../../src/core/limits/same-call.ts", import.meta.url);
  const script = `import { sameCall, sameResult } from ${JSON.stringify(module.href)}; const text = ${text}; ${compare}; console.log("compared");`;
  const line = ["--input-type=module", "--eval", script];
  // It took hours: the time limit only ends those.
  const { stdout } = await promisify(execFile)(process.execPath, line, { timeout: 50_000 });
  expect(stdout).toBe("compared\n");
});
