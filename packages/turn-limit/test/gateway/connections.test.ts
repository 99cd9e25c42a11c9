import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, it } from "vitest";
import { upstreamConnections } from "../../src/gateway/forward/upstream-connections.ts";
import { Forwarder, headOf, Listening, startProvider, startRawProvider } from "./servers.ts";

const [key, cert] = ["key.pem", "cert.pem"].map((name) =>
  readFileSync(join(import.meta.dirname, "provider-test", name), "utf8"),
) as [string, string];

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

describe("a connection that was kept", () => {
  it("is used again", async () => {
    let connections = 0;
    await using provider = await startProvider((_, response) => response.end("ok"));
    provider.server.on("connection", () => {
      connections += 1;
    });
    await using forwarder = await Forwarder.to(provider.address);
    for (let request = 0; request < 3; request++) expect((await forwarder.get()).text).toBe("ok");
    expect(connections).toBe(1);
  });

  it.each([
    ["plain", "no byte", "", [200, 3]],
    ["secure", "no byte", "", [200, 3]],
    ["plain", "a byte", "H", [502, 2]],
    ["secure", "a byte", "H", [502, 2]],
  ])(
    "(%s) and is closed after %s of the answer: the request is sent again only if nothing came",
    async (kind, _, part, expected) => {
      let requests = 0;
      const answer = async (socket: Socket) => {
        socket.on("error", () => {});
        for (let first = true; ; first = false) {
          await headOf(socket);
          requests += 1;
          if (!first) break;
          socket.write(ok);
        }
        socket.end(part);
      };
      const isSecure = kind === "secure";
      await using provider = await (isSecure
        ? Listening.on(createTlsServer({ key, cert }, answer))
        : startRawProvider(answer));
      await using proxy = await startTunnel(provider.port);
      const connections = upstreamConnections({ HTTPS_PROXY: proxy.address }, { ca: cert });
      const target = isSecure ? "https://provider.test" : provider.address;
      await using forwarder = await Forwarder.to(target, { connections });
      expect((await forwarder.get()).text).toBe("ok");
      const { status } = await forwarder.get("/", "POST", "{}");
      expect([status, requests]).toEqual(expected);
    },
  );

  it("is sent on only once if it is new", async () => {
    let requests = 0;
    await using provider = await startRawProvider(async (socket) => {
      await headOf(socket);
      requests += 1;
      socket.destroy();
    });
    await using forwarder = await Forwarder.to(provider.address);
    expect((await forwarder.get()).status).toBe(502);
    expect(requests).toBe(1);
  });

  it("ends when all are closed", async () => {
    await using provider = await startProvider(() => connections.close());
    const connections = upstreamConnections({});
    await using forwarder = await Forwarder.to(provider.address, { connections });
    expect((await forwarder.get()).status).toBe(502);
  });
});

describe("a proxy", () => {
  it("gets a tunnel for https, with its credentials, and sees nothing else", async () => {
    const asked: IncomingMessage[] = [];
    await using provider = await Listening.on(
      createSecureServer({ key, cert }, (request, response) =>
        response.end(`${request.headers.host}${request.url}`),
      ),
    );
    await using proxy = await startTunnel(provider.port, asked);
    const address = proxy.address.replace("//", "//me:p%40ss@");
    const connections = upstreamConnections(
      { https_proxy: address, HTTP_PROXY: "http://127.0.0.1:1" },
      { ca: cert },
    );
    await using forwarder = await Forwarder.to("https://provider.test", { connections });
    for (const path of ["/a?b", "/c"]) {
      expect(await forwarder.get(path)).toEqual({ status: 200, text: `provider.test${path}` });
    }
    expect(asked.map(({ url, headers }) => [url, headers["proxy-authorization"]])).toEqual([
      ["provider.test:443", `Basic ${btoa("me:p@ss")}`],
    ]);
  });

  it("gets a request with the full address for http", async () => {
    const asked: IncomingMessage[] = [];
    await using proxy = await startProvider((request, response) => {
      asked.push(request);
      response.end("ok");
    });
    const address = proxy.address.replace("http://", "me:secret@");
    await using forwarder = await Forwarder.to("http://provider.test:81", {
      connections: upstreamConnections({ ALL_PROXY: address }),
    });
    expect((await forwarder.get("/a?b")).text).toBe("ok");
    expect(asked.map(({ url, headers }) => [url, headers.host, headers["proxy-authorization"]])).toEqual([
      ["http://provider.test:81/a?b", "provider.test:81", `Basic ${btoa("me:secret")}`],
    ]);
  });

  it("that refuses is named in the answer, without its credentials", async () => {
    await using proxy = await Listening.on(
      createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")),
    );
    const address = proxy.address.replace("//", "//me:secret@");
    const connections = upstreamConnections({ HTTPS_PROXY: address });
    await using forwarder = await Forwarder.to("https://provider.test", { connections });
    const message = `provider.test could not be reached: the proxy 127.0.0.1:${proxy.port} answered with status 407`;
    expect(await forwarder.get()).toEqual({ status: 502, text: JSON.stringify({ error: { message } }) });
  });

  it.each([
    ["us%er:p%w", "us%er:p%w"],
    ["us%40er:p%25w", "us@er:p%w"],
  ])("gets the credentials %s as %s", async (given, expected) => {
    const seen: IncomingMessage["headers"][] = [];
    await using proxy = await startProvider((request, response) => {
      seen.push(request.headers);
      response.end("ok");
    });
    const connections = upstreamConnections({ HTTP_PROXY: proxy.address.replace("//", `//${given}@`) });
    await using forwarder = await Forwarder.to("http://provider.test", { connections });
    expect(await forwarder.get()).toEqual({ status: 200, text: "ok" });
    expect(seen[0]?.["proxy-authorization"]).toBe(`Basic ${Buffer.from(expected).toString("base64")}`);
  });

  it("with a certificate that is not trusted is no way to a provider", async () => {
    await using provider = await Listening.on(createSecureServer({ key, cert }));
    await using proxy = await startTunnel(provider.port);
    const connections = upstreamConnections({ HTTPS_PROXY: proxy.address });
    await using forwarder = await Forwarder.to("https://provider.test", { connections });
    expect(await forwarder.get()).toMatchObject({
      status: 502,
      text: expect.stringContaining("self-signed"),
    });
  });
});

/** A proxy that connects everybody to the same port of this machine. */
function startTunnel(port: number, asked: IncomingMessage[] = []): Promise<Listening> {
  const server = createServer().on("connect", (request: IncomingMessage, client: Socket) => {
    asked.push(request);
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
  });
  return Listening.on(server);
}
