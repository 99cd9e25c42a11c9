import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** Does a request want to become a WebSocket? A server may ignore other upgrades. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return /(^|,)\s*websocket\s*(,|$)/i.test(headers.upgrade ?? "");
}

/**
 * Handles connections without a request that can be forwarded. The gateway never answers 400 by itself: an agent would
 * take that for the provider's verdict on its request.
 */
export function handleOddRequests(server: Server): void {
  server.on("upgrade", (request, socket, head) => {
    if (isWebSocket(request)) refuseWebSocket(socket);
    else ignoreUpgrade(server, request, socket, head);
  });
  server.on("connect", (_request, socket) => socket.destroy());
  server.on("clientError", (_error, socket) => socket.destroy());
}

// What a WebSocket carries cannot be counted. Agents fall back to plain requests.
function refuseWebSocket(socket: Duplex): void {
  socket.on("error", () => {});
  socket.end("HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
}

// Only for versions of Node without `shouldUpgradeCallback`: the server reads the request again, without the header.
function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
