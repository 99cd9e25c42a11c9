import { describe, expect, it } from "vitest";
import { proxySettings } from "./upstream-connections.ts";

const env = { HTTPS_PROXY: "http://secure.proxy:1", HTTP_PROXY: "http://plain.proxy:2" };

function proxyOf(variables: Record<string, string>, address: string): string | undefined {
  return proxySettings(variables)(new URL(address))?.host;
}

describe("the proxy of an address", () => {
  it("depends on the protocol, small letters before capital ones, ALL_PROXY for both", () => {
    expect(proxyOf(env, "https://a.example")).toBe("secure.proxy:1");
    expect(proxyOf(env, "http://a.example")).toBe("plain.proxy:2");
    expect(proxyOf({ ...env, https_proxy: "small.proxy:3" }, "https://a.example")).toBe("small.proxy:3");
    expect(proxyOf({ ...env, https_proxy: "" }, "https://a.example")).toBe("secure.proxy:1");
    expect(proxyOf({ ALL_PROXY: "https://all.proxy" }, "http://a.example")).toBe("all.proxy");
    expect(proxyOf({}, "https://a.example")).toBeUndefined();
  });

  it.each([
    ["*", true],
    ["b.example, api.example", true],
    ["b.example api.example:443", true],
    ["api.example:8443", false],
    ["example", true],
    [".example", true],
    ["*.example", true],
    ["API.EXAMPLE", true],
    ["i.example", false],
    ["xapi.example", false],
    ["", false],
    [",", false],
  ])("is none where NO_PROXY is %j: %j", (exceptions, isDirect) => {
    const proxy = isDirect ? undefined : "secure.proxy:1";
    expect(proxyOf({ ...env, NO_PROXY: exceptions }, "https://api.example/v1")).toBe(proxy);
  });

  it.each([
    ["::1", "http://[::1]:8080", true],
    ["[::1]", "http://[::1]:8080", true],
    ["[::1]:80", "http://[::1]:8080", false],
    ["127.0.0.1:8080", "http://127.0.0.1:8080", true],
    ["localhost:80", "http://localhost", true],
  ])("knows %j in NO_PROXY beside %s", (exceptions, address, isDirect) => {
    expect(proxyOf({ ...env, no_proxy: exceptions }, address)).toBe(isDirect ? undefined : "plain.proxy:2");
  });
});

it.each([
  ["HTTPS_PROXY", "http://", "http://"],
  ["https_proxy", "http://me:secret@proxy:port", "http://…@proxy:port"],
  ["HTTP_PROXY", "me:secret@", "…@"],
  ["HTTP_PROXY", "http://me:sec/r@t@proxy", "http://…@proxy"],
  ["ALL_PROXY", "socks5://me:secret@proxy:1080", "socks5://…@proxy:1080"],
])("%s must be the address of a proxy, and is shown without a password: %s", (name, value, shown) => {
  expect(() => proxySettings({ [name]: value })).toThrow(
    new TypeError(
      `${name} is "${shown}": it must be the address of an HTTP proxy, such as http://proxy.example:3128`,
    ),
  );
});
