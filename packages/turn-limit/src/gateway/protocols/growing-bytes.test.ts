import { expect, test } from "vitest";
import { GrowingBytes } from "./growing-bytes.ts";

/** A chunk with memory of its own, as sockets deliver them. */
function chunk(text: string): Buffer {
  return Buffer.from(new Uint8Array(Buffer.from(text)).buffer);
}

test("what was added is there, however it came, and no chunk is changed", () => {
  const chunks = ["one", "two", "three"].map(chunk);
  const bytes = new GrowingBytes();
  for (const added of chunks) bytes.add(added);
  expect(bytes.bytes.toString()).toBe("onetwothree");
  bytes.drop(4);
  expect(bytes.bytes.toString()).toBe("wothree");
  bytes.clear();
  const alone = chunk("alone");
  bytes.add(alone);
  bytes.drop(2);
  expect([bytes.bytes.toString(), bytes.at(-1), bytes.length]).toEqual(["one", 0x65, 3]);
  bytes.add(chunk("!"));
  expect(bytes.bytes.toString()).toBe("one!");
  expect([...chunks, alone].map(String)).toEqual(["one", "two", "three", "alone"]);
});

test("a small part of a large chunk does not keep all of it in memory", () => {
  const large = Buffer.from(new ArrayBuffer(1024 * 1024));
  const bytes = new GrowingBytes();
  bytes.add(large.subarray(0, 100));
  expect(bytes.bytes.buffer.byteLength).toBeLessThan(1000);
});
