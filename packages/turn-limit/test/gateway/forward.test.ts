import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as anotherTurn } from "node:timers/promises";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Cancellation } from "../../src/gateway/forward/cancellation.ts";
import { allOf, bytesOf, deferred, Forwarder, headOf, startProvider, startRawProvider } from "./servers.ts";

describe("what is passed on", () => {
  it("keeps a request as it is, except for the headers of the connection", async () => {
    const heads: string[][] = [];
    await using provider = await startRawProvider(async (socket) => {
      heads.push([...(await headOf(socket)), await bytesOf(socket, 5)]);
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    await using forwarder = await Forwarder.to(provider.address);
    const sent = [
      "POST /v1/a/../b:c?a=%20b&a=|&a HTTP/1.1",
      "hOsT: gateway",
      "X-Odd: one",
      "x-odd:   two",
      "X-Empty:",
      "x-latin: caf\xe9",
      "Connection: close, X-Private",
      "X-Private: 1",
      "Proxy-Authorization: Basic secret",
      "TE: trailers",
      "Expect: 100-continue",
      "Authorization: Bearer key",
      "Transfer-Encoding: chunked",
    ];
    await allOf(forwarder.send(`${sent.join("\r\n")}\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`));
    expect(heads).toEqual([
      [
        "POST /v1/a/../b:c?a=%20b&a=|&a HTTP/1.1",
        `hOsT: 127.0.0.1:${provider.port}`,
        "X-Odd: one",
        "x-odd: two",
        "X-Empty: ",
        "x-latin: caf\xe9",
        "Authorization: Bearer key",
        "Content-Length: 5",
        "Connection: keep-alive",
        "hello",
      ],
    ]);
  });

  it("keeps an answer as it is, except for the headers of the connection", async () => {
    const answer = [
      "HTTP/1.1 299 Odd  message",
      "Set-Cookie: a",
      "set-cookie: b",
      "X-Latin: caf\xe9",
      "Keep-Alive: timeout=9",
      "Connection: X-Private, keep-alive",
      "X-Private: 1",
      "Transfer-Encoding: chunked",
    ];
    await using provider = await startRawProvider(async (socket) => {
      await headOf(socket);
      socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n");
      socket.write(`${answer.join("\r\n")}\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\nx-sum: 2\r\n\r\n`, "latin1");
    });
    await using forwarder = await Forwarder.to(provider.address);
    const received = await allOf(forwarder.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    const expected = [
      "HTTP/1.1 103 Early Hints",
      "Link: </a>; rel=preload",
      "",
      "HTTP/1.1 299 Odd  message",
      "Set-Cookie: a",
      "set-cookie: b",
      "X-Latin: caf\xe9",
      "Connection: close",
      "Transfer-Encoding: chunked",
      "",
      "5",
      "hello",
      "0",
      "X-Sum: 1",
      "x-sum: 2",
      "",
      "",
    ];
    expect(received.toString("latin1").split("\r\n")).toEqual(expected);
    expect(await forwarder.passed[0]).toEqual({ kind: "complete" });
  });

  it.each([
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"],
    ["GET", "HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n"],
    ["GET", 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 5\r\n\r\n'],
    ["DELETE", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n"],
    ["GET", "HTTP/1.1 529 Overloaded\r\nContent-Length: 2\r\n\r\n{}"],
  ])("keeps the framing of an answer to %s: %j", async (method, answer) => {
    const heads: string[][] = [];
    await using provider = await startRawProvider(async (socket) => {
      heads.push(await headOf(socket));
      socket.write(answer);
    });
    await using forwarder = await Forwarder.to(provider.address);
    const received = await allOf(
      forwarder.send(`${method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    );
    expect(received.toString()).toBe(answer.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    expect(heads).toEqual([
      [`${method} / HTTP/1.1`, `Host: 127.0.0.1:${provider.port}`, "Connection: keep-alive"],
    ]);
  });

  it("sends another body with its own length, and without what was said of the old one", async () => {
    const received: [IncomingMessage, string][] = [];
    await using provider = await startProvider(async (request, response) => {
      received.push([request, (await allOf(request)).toString()]);
      response.end();
    });
    const outgoing = { body: Buffer.from('{"a":1}'), isRewritten: true };
    await using forwarder = await Forwarder.to(provider.address, { outgoing });
    await allOf(
      forwarder.send(
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
      ),
    );
    const [[request, body] = []] = received;
    expect(body).toBe('{"a":1}');
    expect(request?.headers["content-length"]).toBe("7");
    expect(request?.headers["content-encoding"]).toBeUndefined();
  });
});

describe("a stream", () => {
  it("arrives chunk by chunk, the headers first", async () => {
    let answering: ServerResponse | undefined;
    await using provider = await startProvider((_, response) => {
      answering = response;
      response.flushHeaders();
    });
    const seen: string[] = [];
    await using forwarder = await Forwarder.to(provider.address, {
      watcher: () => ({
        begins: (status, { "content-type": type }) => seen.push(`${status} ${type}`),
        push: (chunk) => seen.push(`${Buffer.from(chunk)}`),
      }),
    });
    const answer = await forwarder.begun();
    for (const chunk of ["one", "two", "three"]) {
      answering?.write(chunk);
      expect(await bytesOf(answer, chunk.length)).toBe(chunk);
    }
    answering?.end();
    expect(await allOf(answer)).toHaveLength(0);
    expect(answer.complete).toBe(true);
    expect(seen).toEqual(["200 undefined", "one", "two", "three"]);
    expect(await forwarder.passed[0]).toEqual({ kind: "complete" });
  });

  it("is written at once where all of it has arrived, with its head and its end", async () => {
    await using provider = await startRawProvider(async (socket) => {
      await headOf(socket);
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
    });
    const writes: unknown[] = [];
    await using forwarder = await Forwarder.to(provider.address, {
      watcher: ({ response: { socket } }) => {
        for (const name of ["_write", "_writev"] as const) {
          const write = socket?.[name]?.bind(socket) as ((...given: unknown[]) => void) | undefined;
          Object.assign(socket ?? {}, {
            [name]: (...given: unknown[]) => {
              writes.push(given[0]);
              write?.(...given);
            },
          });
        }
        return {};
      },
    });
    expect(await forwarder.get()).toEqual({ status: 200, text: "onetwo" });
    expect(writes).toHaveLength(1);
  });

  it("uses connections again, also those of more requests than Node keeps connections for", async () => {
    const requests = 300;
    let connections = 0;
    let waiting: ServerResponse[] = [];
    await using provider = await startProvider((_, response) => {
      waiting.push(response);
      if (waiting.length < requests) return;
      for (const one of waiting) one.end("ok");
      waiting = [];
    });
    provider.server.on("connection", () => {
      connections += 1;
    });
    await using forwarder = await Forwarder.to(provider.address);
    for (let times = 0; times < 2; times++) {
      const all = await Promise.all(Array.from({ length: requests }, () => forwarder.get()));
      expect(all.filter(({ text }) => text === "ok")).toHaveLength(requests);
    }
    expect(connections).toBe(requests);
  });

  it("is not read faster than it is taken", async () => {
    const total = 32 * 1024 * 1024;
    await using provider = await startProvider((_, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      let sent = 0;
      const fill = () => {
        while (sent < total) {
          sent += chunk.length;
          if (!response.write(chunk)) return;
        }
        response.end();
      };
      response.on("drain", fill);
      fill();
    });
    let most = 0;
    const heldUp = deferred<void>();
    await using forwarder = await Forwarder.to(provider.address, {
      watcher: ({ response }) => ({
        push() {
          most = Math.max(most, response.writableLength);
          if (response.writableNeedDrain) heldUp.resolve();
        },
      }),
    });
    const answer = await forwarder.begun();
    await heldUp.promise;
    for (let turn = 0; turn < 500; turn++) await anotherTurn();
    expect(await allOf(answer)).toHaveLength(total);
    expect(most).toBeLessThan(1024 * 1024);
  });

  it("that is cut off by the provider at any byte is cut off there, and not asked for again", async () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const text = `${head}6\r\ndata: \r\n10\r\n0123456789abcdef\r\n3\r\n\n\n\n\r\n0\r\n\r\n`;
    let bytes = 0;
    let requests = 0;
    await using provider = await startRawProvider(async (socket) => {
      await headOf(socket);
      requests += 1;
      socket.end(text.slice(0, bytes));
    });
    const seen: string[] = [];
    await using forwarder = await Forwarder.to(provider.address, {
      watcher: () => ({ push: (chunk) => seen.push(`${Buffer.from(chunk)}`) }),
    });
    for (; bytes < text.length; bytes++) {
      seen.length = 0;
      const answer = await forwarder.begun();
      const received = (await allOf(answer)).toString();
      const passed = await forwarder.passed.at(-1);
      if (bytes < head.length) {
        expect(answer.statusCode).toBe(502);
        expect(passed).toMatchObject({ kind: "unanswered", by: "provider" });
      } else {
        expect(received).toBe(dataIn(text.slice(head.length, bytes)));
        expect(seen.join("")).toBe(received);
        expect(answer.complete).toBe(false);
        expect(passed).toEqual({ kind: "cut-off", by: "provider" });
      }
    }
    expect(requests).toBe(text.length);
  });

  it("that the provider resets while its reader is slow gives the reader all that was received", async () => {
    // So small that only a reader who takes nothing holds them up.
    const chunk = Buffer.alloc(8 * 1024);
    let sent = 0;
    let seen = 0;
    let isReset = false;
    let answering: Socket | undefined;
    const send = (bytes: Buffer) => {
      sent += bytes.length;
      answering?.write(bytes);
    };
    await using provider = await startRawProvider(async (socket) => {
      answering = socket;
      await headOf(socket);
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n");
      send(chunk);
    });
    await using forwarder = await Forwarder.to(provider.address, {
      watcher: ({ response }) => ({
        push({ length }) {
          seen += length;
          if (isReset || seen < sent) return;
          if (!response.writableNeedDrain) return send(chunk);
          // This is received, but not passed on yet.
          send(Buffer.alloc(100));
          answering?.resetAndDestroy();
          isReset = true;
        },
      }),
    });
    const answer = await forwarder.begun();
    expect(await forwarder.passed[0]).toEqual({ kind: "cut-off", by: "provider" });
    expect(await allOf(answer)).toHaveLength(sent);
    expect(answer.complete).toBe(false);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
  ])("in %s is passed on as it is, and decoded for the watcher", async (encoding, compress) => {
    const text = "data: hello\n\n".repeat(10_000);
    const encoded = compress(text);
    await using provider = await startProvider((_, response) => {
      response.setHeader("content-encoding", encoding);
      for (let at = 0; at < encoded.length; at += 7) response.write(encoded.subarray(at, at + 7));
      response.end();
    });
    let seen = "";
    await using forwarder = await Forwarder.to(provider.address, {
      watcher: () => ({
        push(chunk) {
          seen += Buffer.from(chunk).toString();
        },
      }),
    });
    expect(encoded.equals(await allOf(await forwarder.begun()))).toBe(true);
    await forwarder.passed[0];
    expect(seen).toBe(text);
  });

  it.each(["gzip", "br", "unknown", "gzip, br"])(
    "in a damaged %s is passed on as it is",
    async (encoding) => {
      await using provider = await startProvider((_, response) => {
        response.setHeader("content-encoding", encoding);
        response.write("not");
        response.end("compressed");
      });
      await using forwarder = await Forwarder.to(provider.address, { watcher: () => ({ push() {} }) });
      expect(await forwarder.get()).toEqual({ status: 200, text: "notcompressed" });
      expect(await forwarder.passed[0]).toEqual({ kind: "complete" });
    },
  );
});

describe("an end before the time", () => {
  it.each(["before", "after"])("by the agent, %s the answer begins, reaches the provider", async (when) => {
    const requested = deferred<ServerResponse>();
    await using provider = await startProvider((_, response) => requested.resolve(response));
    await using forwarder = await Forwarder.to(provider.address);
    const client = forwarder.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const answering = await requested.promise;
    if (when === "after") {
      answering.write("first");
      await headOf(client);
    }
    const closed = once(answering, "close");
    client.destroy();
    await closed;
    expect(await forwarder.passed[0]).toMatchObject(
      when === "before" ? { kind: "unanswered", by: "agent" } : { kind: "cut-off", by: "agent" },
    );
  });

  it.each(["before", "after"])("by a limit, %s the answer begins, reaches both sides", async (when) => {
    const requested = deferred<ServerResponse>();
    const cutOff = new Cancellation();
    await using provider = await startProvider((_, response) => requested.resolve(response));
    await using forwarder = await Forwarder.to(provider.address, { cutOff });
    const client = forwarder.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const answering = await requested.promise;
    if (when === "after") {
      answering.write("first");
      await headOf(client);
      await bytesOf(client, 10);
    }
    const closed = once(answering, "close");
    cutOff.cancel();
    await closed;
    expect(await allOf(client)).toHaveLength(0);
    expect(await forwarder.passed[0]).toMatchObject(
      when === "before" ? { kind: "unanswered", by: "limit" } : { kind: "cut-off", by: "limit" },
    );
    const later = forwarder.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await allOf(later)).toHaveLength(0);
  });

  it("of a provider that cannot be reached is status 502", async () => {
    const outgoing = { errorBody: (_: number, message: string) => JSON.stringify({ message }) };
    await using forwarder = await Forwarder.to("http://127.0.0.1:1", { outgoing });
    const why = "127.0.0.1:1 could not be reached: connect ECONNREFUSED 127.0.0.1:1";
    expect(await forwarder.get("/", "POST", "{}")).toEqual({
      status: 502,
      text: JSON.stringify({ message: why }),
    });
    expect(await forwarder.passed[0]).toEqual({ kind: "unanswered", by: "provider", wasSent: false, why });
  });
});

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])(
    "with %d is not passed on: the agent would follow it",
    async (status) => {
      await using elsewhere = await startProvider((_, response) => response.end("ok"));
      await using provider = await startProvider((_, response) => {
        response.writeHead(status, { location: `${elsewhere.address}/v1/messages` }).end("moved");
      });
      await using forwarder = await Forwarder.to(provider.address);
      const answer = await fetch(`${forwarder.address}/v1/messages`, { method: "POST", body: "{}" });
      const { host } = new URL(provider.address);
      const why = `${host} redirects to ${elsewhere.address}/v1/messages, which would bypass the limits. Use that base address instead.`;
      expect([answer.status, await answer.json()]).toEqual([410, { error: { message: why } }]);
      expect(await forwarder.passed[0]).toEqual({ kind: "unanswered", by: "provider", wasSent: false, why });
    },
  );

  it("of a request that costs nothing is passed on", async () => {
    await using provider = await startProvider((_, response) => {
      response.writeHead(307, { location: "/v2/models" }).end();
    });
    await using forwarder = await Forwarder.to(provider.address);
    expect((await forwarder.begun("/v1/models")).headers.location).toBe("/v2/models");
  });
});

describe("an odd answer", () => {
  it.each(["Connection: Upgrade\r\nUpgrade: other\r\n", ""])(
    "that switches to another protocol is status 502: %j",
    async (headers) => {
      await using provider = await startRawProvider(async (socket) => {
        await headOf(socket);
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`);
      });
      await using forwarder = await Forwarder.to(provider.address);
      const { status, text } = await forwarder.get("/", "POST", "{}");
      expect([status, text]).toEqual([502, expect.stringContaining("switched to another protocol")]);
    },
  );

  it("with headers of 100 KB is passed on", async () => {
    await using provider = await startProvider((_, response) => {
      response.writeHead(200, { "x-long": "x".repeat(100_000) }).end("ok");
    });
    await using forwarder = await Forwarder.to(provider.address);
    const sent = request(forwarder.address, { agent: false, maxHeaderSize: 200_000 }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    expect([answer.statusCode, answer.headers["x-long"]]).toEqual([200, "x".repeat(100_000)]);
    answer.resume();
  });
});

/** The data of the chunks, also of one that is not complete. */
function dataIn(chunked: string): string {
  const size = /^([0-9a-f]+)\r\n/.exec(chunked);
  if (!size) return "";
  const start = size[0].length;
  const end = start + Number.parseInt(size[1] ?? "", 16);
  return chunked.slice(start, end) + dataIn(chunked.slice(end + 2));
}
