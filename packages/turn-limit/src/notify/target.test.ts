import { expect, test } from "vitest";
import { readTarget } from "./target.ts";

test.each([
  ["ntfy://ntfy.sh/my-topic", "https://ntfy.sh/", "my-topic"],
  ["ntfy://ntfy.example:8443/t/", "https://ntfy.example:8443/", "t"],
  ["ntfy:https://example.org/ntfy/My_Topic-1", "https://example.org/ntfy/", "My_Topic-1"],
  ["ntfy:http://127.0.0.1:2586/t", "http://127.0.0.1:2586/", "t"],
  ["ntfy:http://[::1]/t", "http://[::1]/", "t"],
])("%s is a topic of ntfy", (text, server, topic) => {
  expect(readTarget(text)).toEqual({ kind: "ntfy", server: new URL(server), topic });
});

test("a webhook and a command are named by their kind", () => {
  const address = new URL("https://hooks.example/x?key=1");
  expect(readTarget("webhook:https://hooks.example/x?key=1")).toEqual({ kind: "webhook", address });
  expect(readTarget('command: notify-send "hi: there"')).toEqual({
    kind: "command",
    line: 'notify-send "hi: there"',
  });
});

test.each([
  ["https://ntfy.sh/topic", "is no place for notifications. Use ntfy://HOST/TOPIC, "],
  ["ntfy.sh/topic", "is no place for notifications."],
  ["", "is no place for notifications."],
  ["command: ", "is no place for notifications."],
  ["webhook:ftp://x", "is no place for notifications."],
  ["ntfy://ntfy.sh", "does not end with a topic of ntfy"],
  ["ntfy://ntfy.sh/a%20b", "does not end with a topic of ntfy"],
  [`ntfy://ntfy.sh/${"a".repeat(65)}`, "does not end with a topic of ntfy"],
  ["ntfy://ntfy.sh/t?auth=x", "does not end with a topic of ntfy"],
  ["ntfy://me:secret@ntfy.sh/t", "has a user name or a password in it"],
  ["ntfy:http://ntfy.example/t", "is plain HTTP to another machine"],
  ["webhook:http://192.168.1.2/x", "is plain HTTP to another machine"],
])("%j is refused, and it is said what is allowed", (text, problem) => {
  expect(readTarget(text)).toContain(problem);
});
