import { expect, test } from "vitest";
import { edited } from "./json-edits.ts";

const TEXT = '{ "a": [1.0, {"b":"x\\"]},{"}, [[]] , 12345678901234567890],"c":{"d":null,"e":true} }';

test("items and members go with one comma each, and all the rest stays byte for byte", () => {
  const cut = (...paths: (string | number)[][]) =>
    edited(
      TEXT,
      paths.map((path) => ({ path })),
    );
  expect(cut()).toBe(TEXT);
  expect(cut(["a", 0])).toBe(TEXT.replace("1.0, ", ""));
  expect(cut(["a", 1])).toBe(TEXT.replace(', {"b":"x\\"]},{"}', ""));
  expect(cut(["a", 1, "b"])).toBe(TEXT.replace('"b":"x\\"]},{"', ""));
  expect(cut(["a", 2, 0])).toBe(TEXT.replace("[[]]", "[]"));
  expect(cut(["a", 3])).toBe(TEXT.replace(" , 12345678901234567890", ""));
  expect(cut(["a", 0], ["a", 1])).toBe(TEXT.replace('1.0, {"b":"x\\"]},{"}, ', ""));
  expect(cut(["a", 1], ["a", 2], ["c", "e"])).toBe(
    TEXT.replace(', {"b":"x\\"]},{"}, [[]]', "").replace(',"e":true', ""),
  );
  expect(cut(["a", 0], ["a", 1], ["a", 2], ["a", 3])).toBe('{ "a": [],"c":{"d":null,"e":true} }');
  expect(cut(["c"])).toBe(TEXT.replace(',"c":{"d":null,"e":true}', ""));
  expect(cut(["nothing"], ["a", 9], ["c", "d", "x"])).toBe(TEXT);
});

test("a member is added at the end of an object", () => {
  const add = (path: (string | number)[]) => edited(TEXT, [{ path, member: { key: "k", value: { v: 1 } } }]);
  expect(add(["c"])).toBe(TEXT.replace("true}", 'true,"k":{"v":1}}'));
  expect(add(["a", 1])).toBe(TEXT.replace('{"}', '{","k":{"v":1}}'));
  expect(edited("{}", [{ path: [], member: { key: "k", value: 1 } }])).toBe('{"k":1}');
  expect(edited('{"a":1}', [{ path: ["a"] }, { path: [], member: { key: "k", value: 1 } }])).toBe('{"k":1}');
});
