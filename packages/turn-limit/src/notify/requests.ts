import type { IncomingMessage } from "node:http";
import { type UpstreamConnections, upstreamConnections } from "../gateway/forward/upstream-connections.ts";

/** What a server says is no longer than this. */
const MOST_ANSWER = 64 * 1024;

/** A server answered, and not well. */
export class BadStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the server answered with status ${status}`);
    this.status = status;
  }

  /** Is it the same when it is tried again? */
  get isFinal(): boolean {
    return this.status < 500 && this.status !== 429 && this.status !== 408;
  }
}

/** Headers by their names. */
export type Headers = Readonly<Record<string, string>>;

/** Requests to servers for notifications, through the proxies of the environment. */
export class Requests {
  readonly #connections: UpstreamConnections;
  readonly #direct = upstreamConnections({});

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#connections = upstreamConnections(env);
  }

  /** Posts JSON, and returns what the server says. Rejects if that is no success. */
  async post(url: URL, body: string, headers: Headers, signal: AbortSignal): Promise<string> {
    const response = await this.#open("POST", url, { ...headers, ...contentOf(body) }, signal, body);
    let answer = "";
    for await (const more of response.setEncoding("utf8")) {
      answer += more;
      // The rest is not read: the connection ends here.
      if (answer.length > MOST_ANSWER) break;
    }
    return answer;
  }

  /** Reads lines for as long as the server sends them. `silence`: for how many milliseconds it may be silent. */
  async lines(
    url: URL,
    headers: Headers,
    { signal, within, silence }: { signal: AbortSignal; within: number; silence: number },
    heard: (line: string) => void,
  ): Promise<void> {
    const silent = new AbortController();
    const onSilence = () => silent.abort(new Error("the server is silent"));
    let timer = setTimeout(onSilence, within);
    try {
      const both = AbortSignal.any([signal, silent.signal]);
      const response = await this.#open("GET", url, headers, both);
      let rest = "";
      for await (const more of response.setEncoding("utf8")) {
        clearTimeout(timer);
        timer = setTimeout(onSilence, silence);
        const lines = `${rest}${more}`.split("\n");
        rest = lines.pop() ?? "";
        if (rest.length > MOST_ANSWER) throw new Error("the server sends what is no answer");
        for (const line of lines) heard(line);
      }
    } catch (error) {
      throw silent.signal.aborted ? silent.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  #open(
    method: string,
    url: URL,
    headers: Headers,
    signal: AbortSignal,
    body?: string,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      // What is not encrypted stays on this machine, whatever proxy is set.
      const connections = url.protocol === "http:" ? this.#direct : this.#connections;
      const { request, host, port, agent, pathPrefix, headers: forProxy } = connections.to(url, true);
      const path = `${pathPrefix}${url.pathname}${url.search}`;
      const list = ["Host", url.host, ...forProxy, ...Object.entries(headers).flat()];
      const sent = request({ method, host, port, agent, path, headers: list, signal });
      sent.on("error", (error) => reject(signal.aborted ? signal.reason : error));
      sent.once("response", (response) => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) return resolve(response);
        response.resume();
        reject(new BadStatus(statusCode));
        sent.destroy();
      });
      sent.end(body);
    });
  }
}

function contentOf(body: string): Headers {
  return { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)) };
}
