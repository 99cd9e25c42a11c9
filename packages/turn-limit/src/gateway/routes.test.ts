import { expect, test } from "vitest";
import { Routes } from "./routes.ts";

const routes = new Routes("secret");
const base = routes.pathTo("https://example.com/api/");

test.each([
  ["", "", ""],
  ["/v1/messages?beta=true", "/v1/messages", "?beta=true"],
  ["@example.com/v1/messages", "/v1/messages", ""],
  ["@example.com?a=@b", "", "?a=@b"],
  ["/v1/v1/messages", "/v1/messages", ""],
  ["@example.com/v1/v1/messages?a", "/v1/messages", "?a"],
  ["/v1/v1", "/v1/v1", ""],
  ["/v1/v10/messages", "/v1/v10/messages", ""],
])("a request to the address with %j goes to the provider's path %j with %j", (end, path, query) => {
  // The second time it is remembered.
  for (const time of ["first", "second"]) {
    const { endpoint, query: found } = routes.find(base + end) ?? {};
    expect([endpoint?.upstream.address, endpoint?.path, found], time).toEqual([
      "https://example.com/api",
      path,
      query,
    ]);
  }
});

test("two ways to write an address lead to one number", () => {
  expect(routes.pathTo("https://EXAMPLE.com:443/api")).toBe(base);
});

test("the key may come in a header, and then it has to come each time", () => {
  const target = `${routes.keylessPathTo("https://example.com/api/")}/v1/messages`;
  const found = [true, false, true].map((hasKey) => routes.find(target, hasKey)?.endpoint.path);
  expect(found).toEqual(["/v1/messages", undefined, "/v1/messages"]);
});

test.each(["/secret/1/v1", "/secret/0x/v1", "/secret/@example.com", "/wrong/0@example.com/v1", "/secret"])(
  "there is nothing at %s",
  (target) => {
    expect(routes.find(target)).toBeUndefined();
  },
);

test.each([
  "https://me:secret@example.com/v1?x",
  "https://me:sec/r@t@example.com:port",
  "ftp://me:secret@host",
])("%s is no address of a provider, and is shown without its password", (address) => {
  expect(() => routes.pathTo(address)).toThrow(/^upstream must be .*, not "[a-z]+:\/\/…@[\w.:/?]+…?"$/);
});
