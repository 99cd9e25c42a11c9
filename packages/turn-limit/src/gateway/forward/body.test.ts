import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import * as zlib from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodedBody, jsonOf, type ReadBody, readBody } from "./body.ts";

describe("the body of a request", () => {
  let received: (body: Promise<ReadBody>) => void = () => {};
  const server = createServer(async (request, response) => {
    const body = readBody(request, 10);
    received(body);
    response.end((await body).kind);
  });
  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  /** A request that is under way, the promise of its body at the server, and of the status that it gets. */
  function sending(headers: Record<string, string>) {
    const { port } = server.address() as AddressInfo;
    const sent = request({ port, host: "127.0.0.1", method: "POST", headers, agent: false });
    sent.on("error", () => {});
    const body = new Promise<ReadBody>((resolve) => {
      received = resolve;
    });
    return { sent, body, answered: once(sent, "response") };
  }

  it.each([
    [{ "content-length": "10" }, "0123456789"],
    [{ "content-length": "0" }, ""],
    [{ "transfer-encoding": "chunked" }, "0123456789"],
  ])("is complete at the bound: %j", async (headers, text) => {
    const { sent, body } = sending(headers as Record<string, string>);
    for (const byte of text) sent.write(byte);
    sent.end();
    expect(await body).toEqual({ kind: "complete", bytes: Buffer.from(text) });
  });

  it("is none where the request has none", async () => {
    const { port } = server.address() as AddressInfo;
    const body = new Promise<ReadBody>((resolve) => {
      received = resolve;
    });
    request({ port, host: "127.0.0.1", agent: false }).end();
    expect(await body).toEqual({ kind: "complete", bytes: undefined });
  });

  it.each([{ "content-length": "1000000" }, { "transfer-encoding": "chunked" }])(
    "is refused beyond the bound, and whoever sends it gets an answer: %j",
    async (headers) => {
      const { sent, body, answered } = sending(headers as Record<string, string>);
      sent.write(Buffer.alloc(11));
      expect(await body).toEqual({ kind: "too-large" });
      await answered;
      sent.end(Buffer.alloc(1_000_000 - 11));
    },
  );

  it("is gone when whoever asked goes away", async () => {
    const { sent, body, answered } = sending({ "content-length": "5" });
    answered.catch(() => {});
    sent.write("123");
    await once(server, "request");
    sent.destroy();
    expect(await body).toEqual({ kind: "gone" });
  });
});

describe("the JSON of a body", () => {
  const text = Buffer.from(JSON.stringify({ model: "a" }));

  const encoded: [encoding: string | undefined, bytes: Buffer][] = [
    [undefined, text],
    ["identity", text],
    ["gzip", zlib.gzipSync(text)],
    ["deflate", zlib.deflateSync(text)],
    ["deflate", zlib.deflateRawSync(text)],
    ["BR", zlib.brotliCompressSync(text)],
    ["gzip, br", zlib.brotliCompressSync(zlib.gzipSync(text))],
  ];
  // Not every Node has it.
  if (zlib.zstdCompressSync) encoded.push(["zstd", zlib.zstdCompressSync(text)]);

  /** Read as the server reads it. */
  async function read(bytes: Buffer | undefined, encoding: string | undefined, maxBytes?: number) {
    return jsonOf(bytes && encoding !== undefined ? await decodedBody(bytes, encoding, maxBytes) : bytes);
  }

  it.each(encoded)("is read in the encoding %s", async (encoding, bytes) => {
    expect(await read(bytes, encoding)).toEqual({ model: "a" });
  });

  it.each([
    [undefined, undefined],
    [undefined, Buffer.from("")],
    [undefined, Buffer.from("[]")],
    [undefined, Buffer.from("null")],
    [undefined, Buffer.from("{")],
    ["gzip", text],
    ["br", text],
    ["unknown", text],
    ["gzip", zlib.gzipSync(text).subarray(0, 15)],
  ])("is none where it cannot be read: %s %s", async (encoding, bytes) => {
    expect(await read(bytes, encoding)).toBeUndefined();
  });

  it("may be nested deeply", async () => {
    const nested = Buffer.from(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    expect(await read(nested, undefined)).toBeDefined();
  });

  it("is none where it would be longer than the bound", async () => {
    const bomb = zlib.gzipSync(Buffer.concat([text, Buffer.alloc(10_000_000, " ")]));
    expect(await read(bomb, "gzip", 20_000_000)).toEqual({ model: "a" });
    expect(await read(bomb, "gzip", 1_000_000)).toBeUndefined();
  });
});
