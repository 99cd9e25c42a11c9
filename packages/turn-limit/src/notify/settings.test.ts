import { expect, test } from "vitest";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { readNotify } from "./settings.ts";

const NTFY = "ntfy://ntfy.example/t";
const NONE = { budget: false, end: false, idle: undefined };

/** Reads settings of a file, or none. */
function read(notify: unknown, notifyOn?: unknown, env = {}) {
  const given = { places: { value: notify, source: "notify" }, on: { value: notifyOn, source: "notifyOn" } };
  return readNotify(given, env);
}

test("a place, several places, or the variable", () => {
  const kinds = (places: unknown, env = {}) => read(places, undefined, env)?.targets.map(({ kind }) => kind);
  expect(kinds(NTFY)).toEqual(["ntfy"]);
  expect(kinds([NTFY, "command:true"])).toEqual(["ntfy", "command"]);
  expect(kinds(undefined, { TURN_LIMIT_NOTIFY: NTFY })).toEqual(["ntfy"]);
  expect(kinds("command:true", { TURN_LIMIT_NOTIFY: NTFY })).toEqual(["command"]);
  // An empty list says that nothing is to be told, whatever the variable says.
  expect(kinds([], { TURN_LIMIT_NOTIFY: NTFY })).toBeUndefined();
  expect(kinds(undefined)).toBeUndefined();
});

test.each([
  [undefined, NONE],
  ["end", { ...NONE, end: true }],
  [" budget , idle=10m ", { budget: true, end: false, idle: 600_000 }],
  [["end", "idle=90s"], { budget: false, end: true, idle: 90_000 }],
  [[], NONE],
])("what is told besides questions: %j", (words, occasions) => {
  expect(read(NTFY, words)?.on).toEqual(occasions);
});

test("the token is for servers of ntfy, the secret for webhooks", () => {
  const env = { TURN_LIMIT_NOTIFY_TOKEN: "tk_1", TURN_LIMIT_NOTIFY_SECRET: "s" };
  expect(read(NTFY, undefined, env)).toMatchObject({ token: "tk_1", secret: "s" });
});

test.each<[unknown, unknown, object, string]>([
  ["ntfy.sh/t", undefined, {}, '"ntfy.sh/t" from notify is no place for notifications. Use ntfy://'],
  [[NTFY, ""], undefined, {}, '"" from notify is no place for notifications. Use ntfy://'],
  [7, undefined, {}, "notify must be a place such as ntfy://ntfy.sh/my-topic, or a list of such: "],
  [[NTFY, [NTFY]], undefined, {}, "notify must be a place such as "],
  [null, undefined, {}, "notify must be a place such as "],
  [undefined, undefined, { TURN_LIMIT_NOTIFY: "phone" }, '"phone" from TURN_LIMIT_NOTIFY is no place'],
  [NTFY, "lunch", {}, '"lunch" from notifyOn is nothing to be told of. Use budget, end and idle=TIME'],
  [NTFY, ["idle=0s"], {}, '"idle=0s" from notifyOn is nothing to be told of.'],
  [NTFY, "idle", {}, '"idle" from notifyOn is nothing to be told of.'],
  [NTFY, "", {}, '"" from notifyOn is nothing to be told of.'],
  [NTFY, { end: true }, {}, "notifyOn must be budget, end and idle=TIME"],
  [undefined, ["end", "budget"], {}, "notifyOn end,budget needs a place: ntfy://HOST/TOPIC in notify, or in"],
  [[], "end", {}, "notifyOn end needs a place: "],
  [
    [NTFY, "ntfy://other.example/t"],
    undefined,
    { TURN_LIMIT_NOTIFY_TOKEN: "tk_1" },
    "TURN_LIMIT_NOTIFY_TOKEN is for one server of ntfy, and the places are on https://ntfy.example and https://other.example.",
  ],
  [NTFY, undefined, { TURN_LIMIT_NOTIFY_TOKEN: "tk 1" }, "TURN_LIMIT_NOTIFY_TOKEN is not a token of ntfy"],
])("notify %j, notifyOn %j and the variables %j are refused with the reason", (notify, on, env, message) => {
  expect(() => read(notify, on, env)).toThrow(InvalidLimit);
  expect(() => read(notify, on, env)).toThrow(message);
});

test("no error shows a password of an address or a token", () => {
  const message = (place: string, env = {}) => {
    try {
      read(place, undefined, env);
    } catch (error) {
      return JSON.stringify([error, String(error)]);
    }
  };
  expect(message("ntfy://me:secret@ntfy.sh/t")).toContain("has a user name or a password in it");
  expect(message("ntfy://me:secret@ntfy.sh/t")).not.toContain("secret");
  expect(message(NTFY, { TURN_LIMIT_NOTIFY_TOKEN: "secret token" })).not.toContain("secret");
});
