import { describe, expect, test, vi } from "vitest";
import { PI_REQUEST } from "../gateway/agents/pi.ts";
import { launched } from "./launch.ts";
import { launchPi } from "./pi.ts";
import leadThroughGateway, { PI_ADDRESSES, PI_PARENT } from "./pi-extension.ts";

const addresses = {
  to: (upstream: string) => `gateway:${upstream}`,
  keyless: (upstream: string) => `keyless:${upstream}`,
  key: "key",
};

function started(args: string[], env: Record<string, string> = {}, models: Record<string, object> = {}) {
  const text = JSON.stringify({ providers: models });
  const path = `${env.PI_CODING_AGENT_DIR?.replace("~", "/home") ?? "/home/.pi/agent"}/models.json`;
  const files = {
    folder: "/project",
    home: "/home",
    read: (asked: string) => (asked === path ? text : undefined),
    exists: () => false,
    list: () => [],
    resolved: () => undefined,
  };
  const start = launched(launchPi, { args, env }, { addresses, files, keep: (name) => name });
  return { args: start.args, ways: JSON.parse(start.env[PI_ADDRESSES] ?? "{}") };
}

test("Pi gets the extension before its own arguments, once, and not where it manages packages", () => {
  const extension = expect.stringMatching(/pi-extension\.ts$/);
  const { args } = started(["-e", "own.ts"]);
  expect(args).toEqual(["-e", extension, "-e", "own.ts"]);
  expect(started([...args]).args).toEqual(args);
  expect(started(["install", "npm:a"]).args).toEqual(["install", "npm:a"]);
});

test("the addresses that Pi knows and those in the person's models.json lead through the gateway", () => {
  const own = { baseUrl: "http://own:1/v1/", models: [{ id: "a" }, { id: "b", baseUrl: "http://b" }] };
  const bad = { baseUrl: "https://{region}.example.com", models: [{ baseUrl: "http://c?d" }, 3] };
  const { ways } = started([], { PI_CODING_AGENT_DIR: "~/pi" }, { own, bad, none: {} });
  expect(ways).toMatchObject({
    "https://api.anthropic.com": "gateway:https://api.anthropic.com@api.anthropic.com",
    "http://own:1/v1": "gateway:http://own:1/v1@own:1",
    "http://b": "gateway:http://b@b",
  });
  expect(Object.keys(ways).filter((address) => /[{?]/.test(address))).toEqual([]);
});

test("under another run the requests go through both gateways", () => {
  const outer = "http://127.0.0.1:1/secret/0@api.anthropic.com";
  const env = { [PI_ADDRESSES]: JSON.stringify({ "https://api.anthropic.com": outer }) };
  expect(started([], env).ways["https://api.anthropic.com"]).toBe(`gateway:${outer}@api.anthropic.com`);
});

describe("the extension", () => {
  /** What it adds to the headers of a request, in a process with this variable, once the conversation was asked for. */
  function saidIn(parent: string, hasContext: boolean) {
    vi.stubEnv(PI_ADDRESSES, JSON.stringify({ "http://a": "gw/0@a" }));
    vi.stubEnv(PI_PARENT, parent);
    const handlers = new Map<string, (event: object, context: object) => void>();
    leadThroughGateway({
      on: (event: string, handler) => handlers.set(event, handler as never),
      registerProvider() {},
    });
    const headers: Record<string, string> = {};
    const context = { sessionManager: { getSessionId: () => "s" } };
    if (hasContext) handlers.get("context")?.({}, context);
    handlers.get("before_provider_headers")?.({ headers }, context);
    const [first] = Object.values(headers);
    handlers.get("before_provider_headers")?.({ headers }, context);
    return { first, next: headers[PI_REQUEST], parent: process.env[PI_PARENT] };
  }

  test("has a request say whether it is a turn: the one after the conversation was asked for", () => {
    expect(saidIn("", true)).toMatchObject({ first: "turn s", next: "aside s" });
    expect(saidIn("", false)).toMatchObject({ first: "aside s", next: "aside s" });
  });

  test("knows a process that another one started behind the same gateway, however often it is loaded", () => {
    const own = `${process.pid} gw/0@a`;
    expect(saidIn("", true)).toMatchObject({ first: "turn s", parent: own });
    expect(saidIn(own, true)).toMatchObject({ first: "turn s", parent: own });
    expect(saidIn("1 gw/0@a", true)).toMatchObject({ first: "sub-agent s", parent: "1 gw/0@a" });
    expect(saidIn("1 other/0@a", true)).toMatchObject({ first: "turn s", parent: own });
  });

  const ways = { "http://a": "gw/0@a", "http://b/v1": "gw/1@b" };

  test.each<[string, string[], string | undefined]>([
    ["one address", ["http://a", "http://a/"], "gw/0@a"],
    ["one address with /v1", ["http://a/v1"], "gw/0@a/v1"],
    ["an address with /v1 and without it", ["http://a/v1", "http://a"], "gw/0@a/v1"],
    ["an address with /v1 of the person's", ["http://b/v1"], "gw/1@b"],
    ["two addresses", ["http://a", "http://b/v1"], undefined],
    ["an address that is not known", ["http://c"], undefined],
    ["one that is known and one that is not", ["http://a", "http://c"], undefined],
    ["no address", [""], undefined],
    ["the address of the gateway already", ["gw/0@a/v1"], undefined],
  ])("leads a provider with %s to the right place", (_, addresses, way) => {
    vi.stubEnv(PI_ADDRESSES, JSON.stringify(ways));
    const handlers = new Map<string, (event: object, context: object) => void>();
    const registered: object[] = [];
    leadThroughGateway({
      on: (event: string, handler) => handlers.set(event, handler as never),
      registerProvider: (id, { baseUrl }) => registered.push({ id, baseUrl }),
    });
    const models = addresses.map((baseUrl) => ({ provider: "p", baseUrl }));
    handlers.get("session_start")?.({}, { modelRegistry: { getAll: () => models } });
    expect(registered).toEqual(way === undefined ? [] : [{ id: "p", baseUrl: way }]);
  });
});
