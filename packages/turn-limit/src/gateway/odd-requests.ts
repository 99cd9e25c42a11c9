import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** Does a request want to become a WebSocket? Other upgrades are offers that a server may pass over. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return /(^|,)\s*websocket\s*(,|$)/i.test(headers.upgrade ?? "");
}

/**
 * What a server does about connections on which there is no request that it can handle. A status 400 is never made
 * here: to an agent it would be the provider's word on what it asked.
 */
export function handleOddRequests(server: Server): void {
  server.on("upgrade", (request, socket, head) => {
    if (isWebSocket(request)) refuseWebSocket(socket);
    else passOverUpgrade(server, request, socket, head);
  });
  server.on("connect", (_request, socket) => socket.destroy());
  server.on("clientError", (_error, socket) => socket.destroy());
}

// What it carries cannot be counted. Agents that are told so go on without it.
function refuseWebSocket(socket: Duplex): void {
  socket.on("error", () => {});
  socket.end("HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
}

// Only for a Node that has no `shouldUpgradeCallback`. The server reads the request again, without the offer.
function passOverUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
